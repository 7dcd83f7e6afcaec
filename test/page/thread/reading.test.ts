import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { didRequestFindOrJump, didUpdate, threadRequests } from '../../../src/threads/common/page/threadApi';
import { drawn, holdCallbacks } from '../support/drawn';
import { entries, snapshot, turns, view } from './support/threadFixtures';
import { openLongThread } from './support/longThread';
import { ThreadPages, watchGoals } from './support/threadPages';

const scroller = '.transcript-scroll';
const topOf = (page: Page, id: string): Promise<number> =>
  page.$eval(`[data-entry="${id}"]`, (element) => element.getBoundingClientRect().top);
const marked = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.querySelector('[data-new]')?.getAttribute('data-entry'));

describe('reading a thread', () => {
  const pages = new ThreadPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('shows what was said, what was done and how it ended', async () => {
    const { page, problems } = await pages.openThread();
    await page.getByRole('heading', { name: view.title }).waitFor();
    await page.getByText('includes the tax').waitFor();
    await page.getByText('You stopped it.').waitFor();
    assert.match(await page.locator('.thread-summary').innerText(), /2 prompts · 8 messages · smart · 47.9K tokens/);
    assert.deepEqual(problems, []);
  });

  it('tells the host while it is visible, which reconnects a page that is shown again without a reload', async () => {
    const { host } = await pages.openThread();
    await host.waitFor(threadRequests.alive);
  });

  it('has no button that would change anything', async () => {
    const { page } = await pages.openThread();
    for (const name of [/edit and resend/i, /undo/i, /apply/i, /insert/i, /send/i]) {
      assert.equal(await page.getByRole('button', { name }).count(), 0, String(name));
    }
  });

  it('opens a touched file at its line, the diff of an edit, and the JSON of any block', async () => {
    const { page, host } = await pages.openThread();
    await page.getByText('Edit cart.ts').click();
    await page.locator('.diff .path').first().click();
    assert.deepEqual(await host.waitFor(threadRequests.open), { target: '/home/kim/shop/src/cart.ts', line: 4 });
    await page.getByRole('button', { name: 'Open Diff Editor' }).click();
    assert.deepEqual(await host.waitFor(threadRequests.openDiff), { entryId: 'm1.1', part: 0 });
    await page.locator('[data-entry="m2.0"]').hover();
    await page.locator('[data-entry="m2.0"] > .raw-button').click();
    assert.deepEqual(await host.waitFor(threadRequests.showRaw), { entryId: 'm2.0' });
  });

  it('tells times as they are asked for, and remembers it', async () => {
    const { page } = await pages.openThread();
    const time = page.locator('.entry-prompt time').first();
    const absolute = page.getByRole('button', { name: 'Absolute Times' });
    await absolute.click();
    assert.match(await time.innerText(), /2026/);
    assert.equal(await absolute.getAttribute('aria-pressed'), 'true');
    const kept = await page.evaluate(() => window.harness.storedState());
    assert.deepEqual(kept, { threadId: view.id, times: 'absolute', isOutlineShown: false });
  });

  it('opens and closes all thoughts and calls at once, steps of subagents included', async () => {
    const { page } = await pages.openThread();
    await page.getByRole('button', { name: 'Expand All' }).click();
    await page.getByText('The sum is there').waitFor();
    await page.getByText('There is one caller.').waitFor();
    await page.getByRole('button', { name: 'Collapse All' }).click();
    await drawn(page);
    assert.equal(await page.locator('details.tool[open], details.thinking[open]').count(), 0);
  });

  it('lists the prompts, shows which one is read, and goes to one that is not loaded', async () => {
    const { page } = await openLongThread(pages, turns(1, 301));
    await page.getByRole('button', { name: 'Outline' }).click();
    const outline = page.getByRole('navigation', { name: 'Prompts' });
    assert.equal(await outline.getByRole('button').count(), 300);
    const current = (prompt: string): Promise<void> =>
      outline.locator('[aria-current] .outline-text').getByText(prompt, { exact: true }).waitFor();
    // The list scrolls to what is read, away from under a click that is quicker.
    await outline.locator('[aria-current]').waitFor();
    await drawn(page);
    // Far enough from the end to come to the top.
    await outline.getByText('Question 280', { exact: true }).click();
    await current('Question 280');
    await drawn(page);
    const reached = await watchGoals(page);
    await outline.getByText('Question 3', { exact: true }).click();
    await reached('p3');
    await drawn(page);
    const top = await topOf(page, 'p3');
    const edge = await page.$eval(scroller, (element) => element.getBoundingClientRect().top);
    assert.ok(top >= edge && top < edge + 40, `at ${top}, the edge is at ${edge}`);
    await current('Question 3');
  });

  it('goes to the message that a search has found', async () => {
    const { page, host } = await openLongThread(pages, turns(1, 61));
    const reached = await watchGoals(page);
    await host.notify(didRequestFindOrJump, { kind: 'goTo', entryId: 'a5' });
    await reached('a5');
  });

  it('follows the end after a search has opened a thread that is all in sight', async () => {
    const { page, host, tell } = await pages.openThread(snapshot({}, turns(1, 2)));
    const reached = await watchGoals(page);
    await host.notify(didRequestFindOrJump, { kind: 'goTo', entryId: 'p1' });
    await reached('p1');
    await page.locator('.jump').waitFor({ state: 'detached' });
    await tell({ transcript: { put: turns(2, 12), before: 0 } });
    await drawn(page);
    const fromEnd = await page.$eval(scroller, (e) => e.scrollHeight - e.scrollTop - e.clientHeight);
    assert.ok(fromEnd < 2, `${fromEnd} from the end`);
  });

  it('stays at what a search has found in a longer one', async () => {
    const { page, host, tell } = await pages.openThread(snapshot({}, turns(1, 12)));
    const reached = await watchGoals(page);
    await host.notify(didRequestFindOrJump, { kind: 'goTo', entryId: 'p2' });
    await reached('p2');
    await drawn(page);
    const top = await topOf(page, 'p2');
    await tell({ transcript: { put: turns(12, 13), before: 0 } });
    await drawn(page);
    assert.ok(Math.abs((await topOf(page, 'p2')) - top) < 2);
  });

  it('shows the call when the step that was found is in it', async () => {
    const { page, host } = await pages.openThread();
    const reached = await watchGoals(page);
    await host.notify(didRequestFindOrJump, { kind: 'goTo', entryId: 'm1.3' });
    await reached('m1.2');
  });

  it('grows in place and follows the end', async () => {
    const { page, tell } = await pages.openThread(snapshot({}, turns(1, 10)));
    await tell({ transcript: { put: turns(10, 12), before: 0 } });
    await drawn(page);
    const fromEnd = await page.$eval(scroller, (e) => e.scrollHeight - e.scrollTop - e.clientHeight);
    assert.ok(fromEnd < 2, `${fromEnd} from the end`);
    assert.equal(await marked(page), undefined);
  });

  it('stays in place when it does not follow, and draws a line where what is new begins', async () => {
    const { page, tell } = await pages.openThread(snapshot({}, turns(1, 10)));
    const follow = (pressed: boolean) => page.getByRole('button', { name: 'Follow New Messages', pressed });
    await follow(true).click();
    await follow(false).waitFor();
    await drawn(page);
    const top = await page.$eval(scroller, (element) => element.scrollTop);
    await tell({ transcript: { put: turns(10, 11), before: 0 } });
    await tell({ transcript: { put: turns(11, 12), before: 0 } });
    await drawn(page);
    assert.equal(await page.$eval(scroller, (element) => element.scrollTop), top);
    assert.equal(await marked(page), 'p10');
    await follow(false).click();
    await follow(true).waitFor();
    await drawn(page);
    assert.equal(await marked(page), 'p10');
  });

  it('draws the line where the user stopped reading the last time', async () => {
    const { page } = await pages.openThread(snapshot({ unreadFrom: 'm3' }));
    await drawn(page);
    assert.equal(await marked(page), 'm3');
    const [line, entry] = await page.$eval('[data-new]', (element) => [
      parseFloat(getComputedStyle(element, '::before').width),
      element.clientWidth,
    ]);
    assert.ok(line === entry, `${line} of ${entry} wide`);
  });

  it('hears what the host says before anything is drawn', async () => {
    const { page, host } = await pages.openPage({
      entry: 'src/threads/browser/threadMain.tsx',
      style: 'src/threads/browser/thread.css',
      data: { thread: view.id },
      before: holdCallbacks,
    });
    const reached = await watchGoals(page);
    await host.notify(didUpdate, snapshot({ unreadFrom: 'm3' }));
    await host.notify(didRequestFindOrJump, { kind: 'goTo', entryId: 'm3' });
    await page.evaluate('runHeldCallbacks()');
    await reached('m3');
    await page.locator('[data-entry="m3"][data-new]').waitFor();
  });

  it('explains why a thread cannot be read, and tries again', async () => {
    const { page, host } = await pages.openThread({ problem: 'The file is 61.2 MB, more than the 50 MB Amp reads.' });
    await page.getByText('61.2 MB').waitFor();
    await page.getByRole('button', { name: 'Try Again' }).click();
    await host.waitFor(threadRequests.retry);
  });

  it('keeps what was read when the file goes', async () => {
    const { page, tell } = await pages.openThread();
    await tell({ problem: 'The file is gone.' });
    await page.getByText('Its last version is shown. The file is gone.').waitFor();
    await page.getByText('includes the tax').waitFor();
    await tell({ problem: null });
    await page.getByText('The file is gone.').waitFor({ state: 'detached' });
  });

  it('shows what could not be done, until it is dismissed', async () => {
    const { page } = await pages.openThread(snapshot(), {
      prepare: (host) =>
        host.answer(threadRequests.act, () => {
          throw new Error('The Amp CLI is not installed.');
        }),
    });
    await page.getByRole('button', { name: 'More Actions' }).click();
    await page.getByRole('menuitem', { name: 'Continue in Amp CLI' }).click();
    await page.getByText('The Amp CLI is not installed.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('The Amp CLI is not installed.').waitFor({ state: 'detached' });
  });

  it('tells where the thread was', async () => {
    const { page } = await pages.openThread();
    await page.getByText('About').click();
    await page.getByText('0123456789abcdef0123456789abcdef01234567').waitFor();
  });

  it('leads to the threads that it came from, and those that came of it', async () => {
    const id = 'T-019be0a1-0000-7000-8000-000000000002';
    const facts = [...view.facts, { label: 'Handed off to', value: id }];
    const { page, host } = await pages.openThread(snapshot({ thread: { ...view, facts } }));
    await page.getByText('About').click();
    await page.getByRole('button', { name: id }).click();
    assert.deepEqual(await host.waitFor(threadRequests.open), { target: id });
  });

  it('shows text of a thread as text', async () => {
    const hostile = '</script><img src=x onerror="alert(1)">';
    const title = `Title ${hostile}`;
    const { page, problems } = await pages.openThread(
      snapshot({ thread: { ...view, title, notes: [hostile] } }, [
        ...entries,
        { kind: 'raw', id: 'x', turn: 2, label: hostile, json: hostile },
      ]),
    );
    assert.equal(await page.locator('h1').innerText(), title);
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(problems, []);
  });
});
