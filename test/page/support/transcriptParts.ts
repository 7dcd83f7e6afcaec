import type { Page } from 'playwright-core';
import type { Entry } from '../../../src/transcript/common/entries';

/** Turns of about 150 pixels, each with a prompt `p1` and an answer `a1`. `to` is not included. */
export function turns(from: number, to: number): Entry[] {
  return Array.from({ length: to - from }, (_, index): Entry[] => {
    const turn = from + index;
    return [
      { kind: 'prompt', id: `p${turn}`, turn, text: `Question ${turn}` },
      { kind: 'answer', id: `a${turn}`, turn, text: `Answer ${turn}\n\n${'A line of it.\n\n'.repeat(3)}` },
    ];
  }).flat();
}

/** Whether a part of the entry is on the screen. False if it is not loaded. */
export function isInSight(page: Page, id: string): Promise<boolean> {
  return page.evaluate((entry) => {
    const element = document.querySelector(`[data-entry="${entry}"]`);
    const screen = element?.closest('.transcript-scroll')?.getBoundingClientRect();
    const { top = 0, bottom = 0 } = element?.getBoundingClientRect() ?? {};
    return screen !== undefined && bottom > screen.top && top < screen.bottom;
  }, id);
}
