// What the lines above the composer say.
import type { Page } from 'playwright-core';
import type { ChatHere } from './chatPages';

/** Waits until the working line says this. */
export async function lineSays({ page }: ChatHere, text: string): Promise<void> {
  await page.locator('.working [role=status]', { hasText: text }).waitFor();
}

/** Returns a function that returns all texts that the element has had since then, in order. */
export async function recordTexts(page: Page, selector: string): Promise<() => Promise<string[]>> {
  const recorded = await page.locator(selector).evaluateHandle((element) => {
    const texts: string[] = [];
    const observer = new MutationObserver(() => texts.push(element.textContent));
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    return texts;
  });
  return () => recorded.jsonValue();
}
