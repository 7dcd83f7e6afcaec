import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { didRequestFindOrJump } from '../../../src/threads/common/page/threadApi';
import type { Entry } from '../../../src/transcript/common/entries';
import { drawn } from '../support/drawn';
import { snapshot } from './support/threadFixtures';
import { ThreadPages, watchGoals } from './support/threadPages';

/** Turns that are a prompt and one short line each. */
function lowTurns(count: number): Entry[] {
  return Array.from({ length: count }, (_, index): Entry[] => {
    const turn = index + 1;
    return [
      { kind: 'prompt', id: `p${turn}`, turn, text: `Question ${turn}` },
      { kind: 'answer', id: `a${turn}`, turn, text: 'Yes.' },
    ];
  }).flat();
}

const heights = [30, 60, 79, 81, 140];

describe('the prompt that the outline marks', () => {
  const pages = new ThreadPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const marked = (page: Page): Promise<string | undefined> =>
    page.evaluate(() => document.querySelector('.outline [aria-current] .outline-text')?.textContent ?? undefined);

  async function waitForMark(page: Page, prompt: string): Promise<void> {
    await page.locator('.outline [aria-current]').getByText(prompt, { exact: true }).waitFor();
    // It stays when all that moves has come to rest.
    await drawn(page);
    assert.equal(await marked(page), prompt);
  }

  /** Turns of exactly this height, whatever the fonts. */
  async function openTurns(height: number, count = 60): Promise<Page> {
    const { page } = await pages.openThread(snapshot({}, lowTurns(count)));
    await page.getByRole('button', { name: 'Outline' }).click();
    await page.evaluate((px) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(
        `.transcript-content .turn { height: ${px}px; margin: 0; padding: 0; overflow: hidden; content-visibility: visible }`,
      );
      document.adoptedStyleSheets.push(sheet);
    }, height);
    await drawn(page);
    return page;
  }

  for (const height of heights) {
    it(`is the one that was gone to, with turns of ${height} px, in the middle and near the end`, async () => {
      const page = await openTurns(height);
      for (const number of [20, 57, 60, 1]) {
        const reached = await watchGoals(page);
        await page.locator('.outline').getByText(`Question ${number}`, { exact: true }).click();
        await reached(`p${number}`);
        await waitForMark(page, `Question ${number}`);
      }
    });
  }

  it('is the one of the answer that a search has found', async () => {
    const { page, host } = await pages.openThread(snapshot({}, lowTurns(60)));
    await page.getByRole('button', { name: 'Outline' }).click();
    const reached = await watchGoals(page);
    await host.notify(didRequestFindOrJump, { kind: 'goTo', entryId: 'a58' });
    await reached('a58');
    await waitForMark(page, 'Question 58');
  });

  it('is the one that a key went to', async () => {
    const page = await openTurns(60);
    await page.locator('[data-entry="p58"]').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await waitForMark(page, 'Question 59');
  });

  it('is the one at the top again when the reader scrolls on', async () => {
    const page = await openTurns(60);
    const reached = await watchGoals(page);
    await page.locator('.outline').getByText('Question 60', { exact: true }).click();
    await reached('p60');
    await waitForMark(page, 'Question 60');
    await page.locator('.transcript-scroll').hover();
    await page.mouse.wheel(0, -60);
    await page.waitForFunction(
      () => document.querySelector('.outline [aria-current] .outline-text')?.textContent !== 'Question 60',
    );
    const expected = await page.evaluate(() => {
      const edge = document.querySelector('.transcript-scroll')?.getBoundingClientRect().top ?? 0;
      const prompts = [...document.querySelectorAll('.turn > .entry-prompt')];
      const first = prompts.find((prompt) => prompt.getBoundingClientRect().top >= edge);
      return first?.getAttribute('data-entry');
    });
    assert.equal(`p${(await marked(page))?.replace('Question ', '')}`, expected);
  });
});
