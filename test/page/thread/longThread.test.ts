import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { didRequestFindOrJump } from '../../../src/threads/common/page/threadApi';
import { drawn } from '../support/drawn';
import { isInSight } from '../support/transcriptParts';
import { openLongThread, type LongThreadHere } from './support/longThread';
import { turns } from './support/threadFixtures';
import { ThreadPages, watchGoals } from './support/threadPages';

const scroller = '.transcript-scroll';
/** 20,001 entries. */
const turnCount = 6_667;
const middle = 3_000;
/** A window, and what is loaded around it by itself. */
const maxDrawn = 250;

const drawnCount = (page: Page): Promise<number> => page.locator('.entry').count();
const toTop = (page: Page): Promise<void> =>
  page.$eval(scroller, (element) => {
    element.scrollTop = 0;
  });
const toBottom = (page: Page): Promise<void> =>
  page.$eval(scroller, (element) => {
    element.scrollTop = element.scrollHeight;
  });
const fromEnd = (page: Page): Promise<number> =>
  page.$eval(scroller, ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);

describe('a thread of 20,000 entries', () => {
  const pages = new ThreadPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function openLong(): Promise<LongThreadHere> {
    return await openLongThread(pages, turns(1, turnCount + 1));
  }

  async function openAt(id: string): Promise<LongThreadHere> {
    const here = await openLong();
    const reached = await watchGoals(here.page);
    await here.host.notify(didRequestFindOrJump, { kind: 'goTo', entryId: id });
    await reached(id);
    await drawn(here.page);
    return here;
  }

  it('is gone to at any message without what lies between', async () => {
    const { page, host, sentCount } = await openLong();
    const reached = await watchGoals(page);
    for (const id of [`a${middle}`, 'p1', `p${turnCount - 100}`, `a${turnCount}`, 'a20']) {
      const before = sentCount();
      await host.notify(didRequestFindOrJump, { kind: 'goTo', entryId: id });
      await reached(id);
      await drawn(page);
      assert.ok(await isInSight(page, id), `${id} is not in sight`);
      assert.ok(sentCount() - before <= maxDrawn, `${sentCount() - before} were sent for ${id}`);
      assert.ok((await drawnCount(page)) <= maxDrawn, `${await drawnCount(page)} are drawn for ${id}`);
    }
  });

  it('continues in both directions from there, and keeps the place', async () => {
    const { page } = await openAt(`p${middle}`);
    const next = async (id: string): Promise<void> => {
      await page.locator(`[data-entry="${id}"]`).waitFor({ state: 'attached' });
      await drawn(page);
    };
    await toTop(page);
    await next(`p${middle - 15}`);
    assert.ok(await page.locator(scroller).evaluate(({ scrollTop }) => scrollTop > 100), 'the place was lost');
    for (let step = 1; step <= 3; step++) {
      await toBottom(page);
      await next(`p${middle + 13 * (step + 1)}`);
      assert.ok((await fromEnd(page)) > 100, 'it ran on by itself');
    }
    assert.ok((await drawnCount(page)) <= 2 * maxDrawn);
    await page.getByRole('button', { name: 'Jump to Latest' }).waitFor();
  });

  it('counts what comes meanwhile, shows the end on demand and follows it', async () => {
    const { page, grow } = await openAt(`p${middle}`);
    const top = await page.$eval(scroller, ({ scrollTop }) => scrollTop);
    const from = turnCount + 1;
    await grow(turns(from, from + 1));
    await page.getByRole('button', { name: 'Jump to Latest (3 new)' }).waitFor();
    assert.equal(await page.$eval(scroller, ({ scrollTop }) => scrollTop), top);
    await page.locator('.jump').click();
    await page.locator('.jump').waitFor({ state: 'detached' });
    await drawn(page);
    assert.ok(await isInSight(page, `a${from}`));
    assert.equal(await page.$eval('[data-new]', (entry) => entry.getAttribute('data-entry')), `p${from}`);
    await grow(turns(from + 1, from + 4));
    await drawn(page);
    assert.ok((await fromEnd(page)) < 2);
    assert.ok((await drawnCount(page)) <= maxDrawn);
  });

  it('says nothing aloud of what was there before', async () => {
    const { page } = await openAt(`p${middle}`);
    await toBottom(page);
    await page.locator(`[data-entry="p${middle + 20}"]`).waitFor({ state: 'attached' });
    await drawn(page);
    assert.equal(await page.getByRole('log').innerText(), '');
  });

  it('is found in, forwards and backwards, wherever the matches are', async () => {
    const { page } = await openLong();
    await page.keyboard.press('Control+f');
    const input = page.getByRole('textbox', { name: 'Find in conversation' });
    const count = (text: string): Promise<void> =>
      page.locator('.find-count').getByText(text, { exact: true }).waitFor();
    // 555, and 5,550 to 5,559.
    await input.fill('Question 555');
    await count('? of 11');
    await input.press('Enter');
    await count('1 of 11');
    assert.ok(await isInSight(page, 'p555'));
    await input.press('Enter');
    await count('2 of 11');
    assert.ok(await isInSight(page, 'p5550'));
    for (const nth of [3, 4, 5, 6, 7, 8, 9, 10, 11]) {
      await input.press('Enter');
      await count(`${nth} of 11`);
    }
    assert.ok(await isInSight(page, 'p5559'));
    await input.press('Enter');
    await count('1 of 11');
    await input.press('Shift+Enter');
    await count('11 of 11');
    await drawn(page);
    assert.ok(await isInSight(page, 'p5559'));
    assert.ok((await drawnCount(page)) <= 2 * maxDrawn);
    assert.ok(await input.evaluate((element) => element === document.activeElement));
  });

  it('is gone to by its outline', async () => {
    const { page } = await openLong();
    await page.getByRole('button', { name: 'Outline' }).click();
    const reached = await watchGoals(page);
    const item = page.locator('.outline').getByText(`Question ${middle}`, { exact: true });
    await item.evaluate((element) => element.closest('button')?.click());
    await reached(`p${middle}`);
    await drawn(page);
    assert.ok(await isInSight(page, `p${middle}`));
    assert.equal(await page.locator('.outline [aria-current] .outline-text').innerText(), `Question ${middle}`);
    assert.ok((await drawnCount(page)) <= maxDrawn);
  });
});
