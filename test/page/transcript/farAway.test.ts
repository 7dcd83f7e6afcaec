import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Entry } from '../../../src/transcript/common/entries';
import { PageHarness, type PageOptions } from '../support/pageHarness';
import { ask, didPatch } from './transcriptPageApi';

const page: PageOptions = {
  entry: 'test/page/transcript/transcriptPage.tsx',
  style: 'test/page/transcript/transcriptPage.css',
  height: 400,
};

/** Answers that are higher than the screen. */
const entries = Array.from({ length: 20 }, (_, at): Entry[] => [
  { kind: 'prompt', id: `p${at}`, turn: at + 1, text: `Question ${at}` },
  { kind: 'answer', id: `a${at}`, turn: at + 1, text: `**Answer ${at}**\n\n${'A line of it.\n\n'.repeat(30)}` },
]).flat();

const formatted = (id: string): string => `[data-entry="${id}"] .markdown strong`;
const words = (id: string): string => `[data-entry="${id}"].is-far`;
const goTo = async (shown: Page, where: 'start' | 'end'): Promise<void> => {
  await shown.$eval(
    '.transcript-scroll',
    (element, isStart) => (element.scrollTop = isStart ? 0 : element.scrollHeight),
    where === 'start',
  );
};

describe('answers far from the screen', () => {
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function open(): Promise<Page> {
    const opened = await pages.openPage(page);
    await opened.host.notify(didPatch, { reset: true, put: entries, before: 0 });
    await opened.page.locator(formatted('a19')).waitFor({ state: 'attached' });
    return opened.page;
  }

  it('are formatted when the reader comes, and are words again when they are far', async () => {
    const shown = await open();
    await shown.locator(words('a0')).waitFor({ state: 'attached' });
    await goTo(shown, 'start');
    await shown.locator(formatted('a0')).waitFor({ state: 'attached' });
    await shown.locator(words('a19')).waitFor({ state: 'attached' });
    await goTo(shown, 'end');
    await shown.locator(formatted('a19')).waitFor({ state: 'attached' });
  });

  it('are formatted after those on the screen', async () => {
    const shown = await open();
    await shown.locator(words('a0')).waitFor({ state: 'attached' });
    const first = await shown.evaluate(
      async ([onScreen, near]) => {
        const isThere = (selector: string): boolean => document.querySelector(selector) !== null;
        document.querySelector('.transcript-scroll')?.scrollTo(0, 0);
        while (!isThere(onScreen) && !isThere(near)) await new Promise(requestAnimationFrame);
        return { onScreen: isThere(onScreen), near: isThere(near) };
      },
      [formatted('a0'), formatted('a3')] as const,
    );
    assert.deepEqual(first, { onScreen: true, near: false });
  });

  it('keep the selection that is in them', async () => {
    const shown = await open();
    await shown.$eval(formatted('a19'), (element) => getSelection()?.selectAllChildren(element));
    await goTo(shown, 'start');
    await shown.locator(words('a18')).waitFor({ state: 'attached' });
    assert.equal(await shown.evaluate(() => String(getSelection())), 'Answer 19');
  });

  it('keep their height', async () => {
    const shown = await open();
    const height = (): Promise<number> => shown.$eval('[data-entry="a19"]', (element) => element.clientHeight);
    const before = await height();
    await goTo(shown, 'start');
    await shown.locator(words('a19')).waitFor({ state: 'attached' });
    assert.ok(Math.abs((await height()) - before) <= 1);
  });

  it('keep open what a search has opened in them, all of it', async () => {
    const opened = await pages.openPage(page);
    const lines = Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n');
    const found: Entry = {
      kind: 'tool',
      id: 'found',
      turn: 1,
      name: 'grep',
      title: 'Search',
      toolKind: 'search',
      state: 'done',
      parts: [{ type: 'text', text: lines, plain: true }],
    };
    await opened.host.notify(didPatch, { reset: true, put: [found, ...entries], before: 0 });
    const shown = opened.page;
    await shown.locator(formatted('a19')).waitFor({ state: 'attached' });
    await goTo(shown, 'start');
    await shown.locator(formatted('a1')).waitFor({ state: 'attached' });
    const card = shown.locator('[data-entry="found"]');
    // No click: the browser opens what it has found something in.
    await card.locator('details').evaluate((element) => element.setAttribute('open', ''));
    await card.getByText('line 3', { exact: false }).first().waitFor();
    await goTo(shown, 'end');
    await shown.locator(formatted('a19')).waitFor({ state: 'attached' });
    await shown.locator(words('a1')).waitFor({ state: 'attached' });
    await goTo(shown, 'start');
    await shown.locator(formatted('a1')).waitFor({ state: 'attached' });
    await card.getByText('line 3', { exact: false }).first().waitFor();
    await card.getByRole('button', { name: /Show all/ }).click();
    await goTo(shown, 'end');
    await shown.locator(words('a1')).waitFor({ state: 'attached' });
    await goTo(shown, 'start');
    await card.getByText('line 59').waitFor();
  });

  it('are found by their words, and shown', async () => {
    const opened = await pages.openPage(page);
    await opened.host.notify(didPatch, { reset: true, put: entries, before: 0 });
    await opened.host.notify(ask, { what: 'find' });
    const input = opened.page.getByRole('textbox', { name: 'Find in conversation' });
    await input.fill('Answer 2');
    await opened.page.getByText(/^1 of 1$/).waitFor();
    await input.press('Enter');
    await opened.page.locator(formatted('a2')).waitFor({ state: 'attached' });
    await opened.page.waitForFunction((selector) => {
      const { top = -1 } = document.querySelector(selector)?.getBoundingClientRect() ?? {};
      return top > 0 && top < innerHeight;
    }, formatted('a2'));
  });
});
