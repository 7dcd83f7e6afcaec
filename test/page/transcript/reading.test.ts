import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Entry } from '../../../src/transcript/common/entries';
import { eventually } from '../../support/eventually';
import { drawn } from '../support/drawn';
import { PageHarness, type OpenedPage, type PageOptions } from '../support/pageHarness';
import { turns } from '../support/transcriptParts';
import { toolEntry } from './sample';
import { ask, didPatch, load, showAll } from './transcriptPageApi';

declare global {
  interface Window {
    tellChanged(id: string): void;
  }
}

const page: PageOptions = {
  entry: 'test/page/transcript/transcriptPage.tsx',
  style: 'test/page/transcript/transcriptPage.css',
  height: 500,
};

const scroller = '.transcript-scroll';
const fromEnd = (opened: Page): Promise<number> =>
  opened.$eval(scroller, (element) => element.scrollHeight - element.scrollTop - element.clientHeight);
const topOf = (opened: Page, id: string): Promise<number> =>
  opened.$eval(`[data-entry="${id}"]`, (element) => element.getBoundingClientRect().top);

/** Resolves when the entry is at the top. Its place is set again while the entries above it get their heights. */
const waitUntilAtTop = (opened: Page, id: string): Promise<void> =>
  eventually(`${id} at the top`, async () => {
    const top = await topOf(opened, id);
    assert.ok(top >= 0 && top < 30, `at ${top}`);
  });

async function scrollBy(opened: Page, pixels: number): Promise<void> {
  await opened.hover(scroller);
  // In an object: it is waited for only after the wheel has turned.
  const scroll = await opened.evaluateHandle((selector) => {
    const element = document.querySelector(selector);
    const before = element?.scrollTop;
    const ended = new Promise<void>((resolve) => {
      element?.addEventListener('scrollend', () => {
        if (element.scrollTop !== before) resolve();
      });
    });
    return { ended };
  }, scroller);
  await opened.mouse.wheel(0, pixels);
  await scroll.evaluate(({ ended }) => ended);
  await drawn(opened);
}

describe('reading a transcript', () => {
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function open(entries: Entry[], before = 0): Promise<OpenedPage> {
    const opened = await pages.openPage(page);
    await opened.host.notify(didPatch, { reset: true, put: entries, before });
    await drawn(opened.page);
    return opened;
  }

  it('opens at the end', async () => {
    const { page: shown } = await open(turns(1, 30));
    assert.ok((await fromEnd(shown)) < 2);
  });

  it('follows what comes while the reader is at the end', async () => {
    const { page: shown, host } = await open(turns(1, 10));
    await host.notify(didPatch, { put: [{ kind: 'answer', id: 's', turn: 10, text: '', streaming: true }], before: 0 });
    for (let at = 0; at < 20; at++) {
      await host.notify(didPatch, { append: [{ id: 's', text: `Line ${at}\n\n` }], before: 0 });
    }
    // Where drawing is slow, text is drawn some time after it came.
    await shown.getByText('Line 19').waitFor();
    await drawn(shown);
    assert.ok((await fromEnd(shown)) < 2);
    assert.equal(await shown.locator('.jump').count(), 0);
  });

  it('leaves the reader where they are, and shows how much is new', async () => {
    const { page: shown, host } = await open(turns(1, 30));
    await scrollBy(shown, -900);
    const top = await shown.$eval(scroller, (element) => element.scrollTop);
    await host.notify(didPatch, { put: turns(30, 32), before: 0 });
    await drawn(shown);
    assert.equal(await shown.$eval(scroller, (element) => element.scrollTop), top);
    const jump = shown.getByRole('button', { name: 'Jump to Latest (4 new)' });
    const [list, button] = [await shown.locator(scroller).boundingBox(), await jump.boundingBox()];
    assert.ok(list && button && list.y + list.height <= button.y && button.height >= 24, 'no text is under it');
    await jump.click();
    await drawn(shown);
    assert.ok((await fromEnd(shown)) < 2);
    assert.equal(await shown.locator('.jump').count(), 0);
  });

  it('keeps the place when earlier entries come, even at the very top', async () => {
    const { page: shown, host } = await open(turns(20, 40), 38);
    await shown.$eval(scroller, (element) => (element.scrollTop = 0));
    await drawn(shown);
    const before = await topOf(shown, 'p20');
    await host.notify(didPatch, { older: turns(1, 20), before: 0 });
    await drawn(shown);
    assert.ok(Math.abs((await topOf(shown, 'p20')) - before) < 3, `${before} became ${await topOf(shown, 'p20')}`);
    assert.ok((await shown.$eval(scroller, (element) => element.scrollTop)) > 1_000);
  });

  it('asks for earlier entries once when the reader comes near the top', async () => {
    const { page: shown, host } = await open(turns(20, 40), 38);
    assert.equal(host.requestsOf(load).length, 0);
    await shown.$eval(scroller, (element) => (element.scrollTop = 0));
    await host.waitFor(load);
    await drawn(shown);
    assert.equal(host.requestsOf(load).length, 1);
    await host.notify(didPatch, { older: turns(1, 20), before: 0 });
    await drawn(shown);
    assert.equal(await shown.getByText('Show earlier').count(), 0);
  });

  it('continues asking as the reader continues', async () => {
    const opened = await pages.openPage({
      ...page,
      prepare: (host) => {
        const firsts = [11, 6, 1];
        host.answer(load, async () => {
          const first = firsts[host.requestsOf(load).length - 1] ?? 1;
          await host.notify(didPatch, { older: turns(first, first + 5), before: 2 * (first - 1) });
          return { isFound: true };
        });
      },
    });
    await opened.host.notify(didPatch, { reset: true, put: turns(16, 30), before: 30 });
    for (const id of ['p11', 'p6', 'p1']) {
      await drawn(opened.page);
      await opened.page.$eval(scroller, (element) => (element.scrollTop = 0));
      await opened.page.locator(`[data-entry="${id}"]`).waitFor({ state: 'attached' });
    }
    assert.equal(opened.host.requestsOf(load).length, 3);
  });

  it('offers earlier entries by a button when they could not be fetched', async () => {
    const opened = await pages.openPage({
      ...page,
      prepare: (host) => {
        host.answer(load, () => {
          throw new Error('The disk is gone.');
        });
      },
    });
    await opened.host.notify(didPatch, { reset: true, put: turns(1, 2), before: 5 });
    const again = opened.page.getByRole('button', { name: 'Could not load earlier messages. Try again.' });
    await again.click();
    await opened.host.waitFor(load, 2);
  });

  it('keeps what is above in place when a card at the end is opened', async () => {
    const call = toolEntry({
      id: 't',
      title: 'Run',
      parts: [{ type: 'text', plain: true, text: 'line\n'.repeat(14) }],
    });
    const { page: shown } = await open([...turns(1, 10), call]);
    const before = await topOf(shown, 't');
    await shown.getByText('Run', { exact: true }).click();
    await drawn(shown);
    assert.equal(await topOf(shown, 't'), before);
    assert.ok((await fromEnd(shown)) > 50);
  });

  it('touches no block that is complete, and keeps the selection in it, while text streams', async () => {
    const { page: shown, host } = await open([{ kind: 'answer', id: 's', turn: 1, text: '', streaming: true }]);
    await host.notify(didPatch, {
      append: [{ id: 's', text: 'First paragraph.\n\nSecond paragraph.\n\nThi' }],
      before: 0,
    });
    await drawn(shown);
    await shown.evaluate(() => {
      const paragraph = document.querySelector('.markdown p');
      if (!paragraph) throw new Error('There is no paragraph.');
      paragraph.setAttribute('data-same', '');
      getSelection()?.selectAllChildren(paragraph);
    });
    for (const text of ['rd **bold', '** text\n\n', '- one\n- two\n', '\n```ts\nlet a = 1;\n', '```\n\nEnd.\n']) {
      await host.notify(didPatch, { append: [{ id: 's', text }], before: 0 });
      await drawn(shown);
      assert.equal(await shown.evaluate(() => String(getSelection())), 'First paragraph.');
    }
    assert.equal(await shown.locator('.markdown p[data-same]').count(), 1);
    assert.equal(await shown.locator('.markdown strong').textContent(), 'bold');
  });

  it('draws one entry again when one entry changes', async () => {
    const { page: shown, host } = await open([
      ...turns(1, 4),
      { kind: 'answer', id: 's', turn: 4, text: '', streaming: true },
    ]);
    // All are near the screen, and have come to be drawn.
    await shown.locator('.is-far').first().waitFor({ state: 'detached' });
    const changed = new Set<string>();
    await shown.exposeFunction('tellChanged', (id: string) => changed.add(id));
    await shown.evaluate(() => {
      new MutationObserver((records) => {
        for (const { target } of records) {
          const element = target instanceof Element ? target : target.parentElement;
          window.tellChanged(element?.closest<HTMLElement>('.entry')?.dataset['entry'] ?? 'the list');
        }
      }).observe(document.querySelector('.turns') ?? document, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
    });
    await host.notify(didPatch, { append: [{ id: 's', text: 'More\n\nand more' }], before: 0 });
    await drawn(shown);
    assert.deepEqual([...changed], ['s']);
  });

  it('goes from prompt to prompt by keys', async () => {
    const { page: shown } = await open(turns(1, 12));
    const focused = (): Promise<string | undefined> =>
      shown.evaluate(() =>
        document.activeElement instanceof HTMLElement ? document.activeElement.dataset['entry'] : '',
      );
    await shown.focus(scroller);
    await shown.keyboard.press('Alt+ArrowUp');
    const first = await focused();
    await shown.keyboard.press('Alt+ArrowUp');
    await drawn(shown);
    const second = await focused();
    assert.equal(Number(first?.slice(1)) - Number(second?.slice(1)), 1);
    await waitUntilAtTop(shown, second ?? '');
    await shown.keyboard.press('Alt+ArrowDown');
    assert.equal(await focused(), first);
  });

  it('scrolls to an entry that is asked for', async () => {
    const { page: shown, host } = await open(turns(1, 60));
    await host.notify(ask, { what: 'entry', id: 'p7' });
    await waitUntilAtTop(shown, 'p7');
  });

  it('keeps the focus on a card that changes', async () => {
    const call = toolEntry({ id: 't', title: 'Run', state: 'running', input: '{}' });
    const { page: shown, host } = await open([call]);
    await shown.locator('.tool > summary').focus();
    await host.notify(didPatch, { put: [{ ...call, state: 'done', durationMs: 3_000 }], before: 0 });
    await shown.locator('.tool-done').waitFor();
    assert.ok(await shown.evaluate(() => document.activeElement?.matches('.tool-done > summary')));
  });

  it('does not close a card that is done over the focus in it', async () => {
    const call = toolEntry({ id: 't', title: 'Run', state: 'running', input: '{}', locations: [{ path: '/a.ts' }] });
    const { page: shown, host } = await open([call]);
    await shown.locator('.path').focus();
    await host.notify(didPatch, { put: [{ ...call, state: 'done' }], before: 0 });
    await shown.locator('.tool-done').waitFor();
    assert.ok(await shown.evaluate(() => document.activeElement?.matches('.path')));
  });

  it('shows the whole output that was cut, when it is asked for', async () => {
    const part = { type: 'terminal', command: 'ls', output: 'end', omitted: 12_000 } as const;
    const call = toolEntry({ id: 't', title: 'Run', toolKind: 'execute', parts: [part] });
    const opened = await pages.openPage({
      ...page,
      prepare: (host) =>
        host.answer(showAll, () => ({
          entry: toolEntry({ ...call, parts: [{ type: 'terminal', command: 'ls', output: 'the beginning\nend' }] }),
        })),
    });
    await opened.host.notify(didPatch, { reset: true, put: [call], before: 0 });
    await opened.page.getByText('Run', { exact: true }).click();
    await opened.page.getByRole('button', { name: 'Show all (12 KB)' }).click();
    await opened.page.getByText('the beginning').waitFor();
    assert.equal(await opened.page.getByText('Show all').count(), 0);
  });

  it('speaks an answer once it has ended, and a call when its state changes', async () => {
    const { page: shown, host } = await open([{ kind: 'answer', id: 's', turn: 1, text: '', streaming: true }]);
    await host.notify(didPatch, { append: [{ id: 's', text: 'All is well.' }], before: 0 });
    await host.notify(didPatch, { put: [{ kind: 'answer', id: 's', turn: 1, text: 'All is well.' }], before: 0 });
    await host.notify(didPatch, { put: [toolEntry({ id: 't', title: 'Edit a', state: 'waiting' })], before: 0 });
    assert.deepEqual(await shown.locator('[aria-live] > p').allTextContents(), [
      'All is well.',
      'Edit a: Needs approval',
    ]);
  });
});
