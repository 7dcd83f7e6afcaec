import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { chatRequests, didRequestEntry } from '../../../src/chat/common/page/chatApi';
import type { Entry } from '../../../src/transcript/common/entries';
import { eventually } from '../../support/eventually';
import { drawn } from '../support/drawn';
import { isInSight, turns } from '../support/transcriptParts';
import { TranscriptHost } from '../support/transcriptHost';
import { sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';

const scroller = '.transcript-scroll';
const turnCount = 1_000;
/** What is loaded around the reader, and what is about to be unloaded. */
const maxLoaded = 520;

const waitUntilInSight = (page: Page, id: string): Promise<void> =>
  eventually(`${id} in sight`, async () => assert.ok(await isInSight(page, id)));
const loadedCount = (page: Page): Promise<number> => page.locator('.turn > .entry').count();
const topOf = (page: Page, id: string): Promise<number> =>
  page.$eval(`[data-entry="${id}"]`, (element) => element.getBoundingClientRect().top);

interface ScrollStart {
  readonly list: Element | null;
  readonly entry: Element | undefined;
  readonly top: number;
}

/** In the page. Resolves when the entry no longer moves, to the difference between its way and the one of the wheel. */
async function waitForMove({ list, entry, top }: ScrollStart, pixels: number): Promise<number> {
  const wayNow = (): number => top - (entry?.getBoundingClientRect().top ?? 0);
  let [way, framesAtRest] = [0, 0];
  for (let frames = 0; frames < 300 && framesAtRest < 4; frames++) {
    await new Promise(requestAnimationFrame);
    framesAtRest = way !== 0 && wayNow() === way ? framesAtRest + 1 : 0;
    way = wayNow();
  }
  if (!list || !entry?.isConnected) throw new Error('What was in sight was unloaded.');
  return Math.abs(way - pixels);
}

interface LongChat extends ChatHere {
  readonly transcript: TranscriptHost;
}

describe('a conversation of 2,000 messages', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function openLong(count = turnCount, entries = turns(1, count + 1)): Promise<LongChat> {
    const transcript = new TranscriptHost(entries, (patch) => chat.tell({ transcript: patch }));
    const chat: ChatHere = await pages.openChat(
      { ...snapshot(sessionOf()), transcript: transcript.takePatch() },
      {
        prepare: (host) => {
          host.answer(chatRequests.load, ({ request }) => transcript.load(request));
          host.answer(chatRequests.find, ({ query }) => transcript.find(query));
        },
      },
    );
    return { ...chat, transcript };
  }

  /**
   * Turns the wheel until an entry is loaded. @returns the greatest number of pixels by which the text has moved more or
   * less than the wheel has said
   */
  async function readTo({ page }: LongChat, id: string, step = 1_800): Promise<number> {
    await page.hover(scroller);
    const pixels = id.startsWith('p') ? -step : step;
    let greatest = 0;
    for (let wheels = 0; wheels < 200 && (await page.locator(`[data-entry="${id}"]`).count()) === 0; wheels++) {
      const start = await page.evaluateHandle((selector) => {
        const list = document.querySelector(selector);
        const middle = (list?.getBoundingClientRect().top ?? 0) + (list?.clientHeight ?? 0) / 2;
        const entries = [...(list?.querySelectorAll('.turn > .entry') ?? [])];
        const entry = entries.find((each) => each.getBoundingClientRect().bottom > middle);
        return { list, entry, top: entry?.getBoundingClientRect().top ?? 0 };
      }, scroller);
      await page.mouse.wheel(0, pixels);
      greatest = Math.max(greatest, await start.evaluate(waitForMove, pixels));
      await start.dispose();
    }
    return greatest;
  }

  async function find(chat: LongChat, text: string): Promise<void> {
    await chat.page.keyboard.press('Control+f');
    await chat.page.getByRole('textbox', { name: 'Find in conversation' }).fill(text);
    await chat.page.locator('.find-count').getByText(/ of /).waitFor();
    await chat.page.keyboard.press('Enter');
  }

  it('is searched as a whole, also where nothing is loaded', async () => {
    const chat = await openLong();
    await find(chat, 'Question 55');
    const count = (text: string): Promise<void> =>
      chat.page.locator('.find-count').getByText(text, { exact: true }).waitFor();
    // 55, and 550 to 559.
    await count('1 of 11');
    await waitUntilInSight(chat.page, 'p55');
    const shown = await chat.page.locator('.find-count').evaluateHandle((element) => {
      const texts = new Set<string>();
      new MutationObserver(() => texts.add(element.textContent)).observe(element, {
        subtree: true,
        characterData: true,
      });
      return texts;
    });
    await chat.page.keyboard.press('Shift+Enter');
    await count('11 of 11');
    await waitUntilInSight(chat.page, 'p559');
    assert.deepEqual(await shown.evaluate((texts) => [...texts]), ['11 of 11']);
    assert.ok((await loadedCount(chat.page)) < maxLoaded);
  });

  it('shows an entry that the host asks for, also one that is not loaded, if it is of this conversation', async () => {
    const { host, page } = await openLong();
    const ask = (sessionId: string, entryId: string): Promise<void> =>
      host.notify(didRequestEntry, { sessionId, entryId });
    const { id } = sessionOf();
    await ask(id, 'p55');
    await waitUntilInSight(page, 'p55');
    await ask('another', `p${turnCount}`);
    await ask(id, 'p59');
    await waitUntilInSight(page, 'p59');
    assert.ok((await loadedCount(page)) < maxLoaded);
  });

  it('shows the prompt that is sent while earlier messages are shown', async () => {
    const chat = await openLong();
    await find(chat, 'Question 55');
    await waitUntilInSight(chat.page, 'p55');
    await chat.page.keyboard.press('Escape');
    chat.host.answer(chatRequests.send, async ({ text }) => {
      await chat.transcript.grow([{ kind: 'prompt', id: 'sent', turn: turnCount + 1, text }]);
      return {};
    });
    await chat.composer.fill('And now?');
    await chat.page.keyboard.press('Enter');
    await waitUntilInSight(chat.page, 'sent');
    assert.equal(await chat.page.locator('.jump').count(), 0);
  });

  it('keeps only the messages around the reader, in their place, and follows the end again', async () => {
    const chat = await openLong(230);
    await readTo(chat, 'p51');
    for (const id of ['p11', 'a230']) {
      if (id === 'a230') await chat.page.$eval(scroller, (list) => list.scrollTo(0, list.scrollHeight - 3_000));
      // Small steps: what is near the edge is loaded before the next one.
      const jump = await readTo(chat, id, 300);
      assert.ok(jump < 3, `The text has jumped by ${jump} pixels.`);
      await drawn(chat.page);
      assert.ok((await loadedCount(chat.page)) < maxLoaded, `${await loadedCount(chat.page)} are loaded`);
      await chat.page.locator(`[data-entry="${id === 'p11' ? 'a230' : 'p11'}"]`).waitFor({ state: 'detached' });
    }
    await chat.page.$eval(scroller, (element) => element.scrollTo(0, element.scrollHeight));
    await chat.page.getByRole('button', { name: 'Jump to Latest' }).waitFor({ state: 'detached' });
    await chat.transcript.grow(turns(231, 232));
    await waitUntilInSight(chat.page, 'a231');
  });

  it('keeps a message with the focus or a selection, however far the reader goes', async () => {
    const chat = await openLong(250);
    await chat.page.locator('[data-entry="a250"]').getByText('Answer 250').selectText();
    await readTo(chat, 'p30');
    assert.equal(await chat.page.evaluate(() => getSelection()?.toString()), 'Answer 250');
    await chat.page.evaluate(() => getSelection()?.removeAllRanges());
    const last = chat.page.locator('[data-entry="p250"]');
    await last.evaluate((element) => element.focus({ preventScroll: true }));
    await readTo(chat, 'p20');
    assert.equal(await chat.page.evaluate(() => document.activeElement?.getAttribute('data-entry')), 'p250');
    await last.evaluate((element) => element.blur());
    await readTo(chat, 'p1');
    await last.waitFor({ state: 'detached' });
  });

  it('keeps the end of a selection whose beginning is near', async () => {
    const chat = await openLong(250);
    await chat.page.evaluate(() => {
      const [first, last] = [...document.querySelectorAll('.entry-answer .markdown p')].filter((_, at, all) =>
        [0, all.length - 1].includes(at),
      );
      if (first && last) getSelection()?.setBaseAndExtent(first, 0, last, 1);
    });
    await readTo(chat, 'p30');
    assert.ok(await chat.page.locator('[data-entry="a250"]').count());
  });

  it('loads by itself after each change of direction', async () => {
    const chat = await openLong(250);
    await readTo(chat, 'p31');
    for (let turnAround = 0; turnAround < 3; turnAround++) {
      const [first, last] = await chat.page
        .locator('.turn > .entry')
        .evaluateAll((entries) =>
          [entries.at(0), entries.at(-1)].map((entry) => entry?.getAttribute('data-entry') ?? ''),
        );
      assert.ok(first && last);
      const nextLater = `a${Number(last.slice(1)) + 1}`;
      await chat.page.$eval(scroller, (list) => list.scrollTo(0, list.scrollHeight));
      await readTo(chat, nextLater);
      await chat.page.$eval(scroller, (list) => list.scrollTo(0, 0));
      await readTo(chat, first);
    }
  });

  it('keeps open what the reader has opened, also when it was unloaded, and not in another conversation', async () => {
    const thought: Entry = {
      kind: 'thinking',
      id: 't',
      turn: turnCount + 1,
      text: 'A thought of it.',
      durationMs: 1_000,
    };
    const long: Entry = { kind: 'prompt', id: 'long', turn: turnCount + 1, text: 'A line of it.\n'.repeat(30) };
    const chat = await openLong(turnCount, [...turns(1, turnCount + 1), long, thought]);
    const section = chat.page.locator('[data-entry="t"] details');
    await section.locator('summary').click();
    await section.getByText('A thought of it.').waitFor();
    await find(chat, 'Question 55');
    await section.waitFor({ state: 'detached' });
    await chat.page.keyboard.press('Escape');
    await chat.page.getByRole('button', { name: 'Jump to Latest' }).click();
    await section.getByText('A thought of it.').waitFor();
    const more = chat.page.locator('[data-entry="long"]').getByRole('button', { name: /^Show (More|Less)$/ });
    await more.click();
    assert.equal(await more.innerText(), 'Show Less');
    const session = { ...sessionOf(), id: 'another' };
    await chat.tell({ session, transcript: { reset: true, put: [long, thought], before: 0 } });
    await eventually('a closed section', async () => assert.equal(await section.getAttribute('open'), null));
    assert.equal(await more.innerText(), 'Show More');
  });

  it('is shown from its end, also after one that looks the same and was read at its beginning', async () => {
    const chat = await openLong(30);
    await readTo(chat, 'p1');
    await chat.page.$eval(scroller, (list) => list.scrollTo(0, 0));
    await waitUntilInSight(chat.page, 'p1');
    const session = { ...sessionOf(), id: 'another' };
    await chat.tell({ session, transcript: { reset: true, put: turns(1, 31), before: 0 } });
    await waitUntilInSight(chat.page, 'a30');
  });

  it('offers to continue only at its end', async () => {
    // Four entries in each turn: what a jump loads ends with a turn.
    const ends = turns(1, turnCount + 1).flatMap((entry): Entry[] => {
      const { id, turn } = entry;
      if (entry.kind !== 'answer') return [entry];
      const notice: Entry = { kind: 'notice', id: `${id}.n`, turn, level: 'info', text: 'A notice.' };
      return [entry, notice, { kind: 'end', id: `${id}.e`, turn, outcome: 'interrupted' }];
    });
    const chat = await openLong(turnCount, ends);
    const offered = chat.page.getByRole('button', { name: 'Continue', exact: true });
    await offered.waitFor();
    await find(chat, 'Question 55');
    await waitUntilInSight(chat.page, 'p55');
    // The host is slow.
    const { promise: later, resolve: answerLater } = Promise.withResolvers<undefined>();
    chat.host.answer(chatRequests.load, async ({ request }) => {
      if (request.kind === 'later') await later;
      return await chat.transcript.load(request);
    });
    await chat.page.$eval(scroller, (list) => list.scrollTo(0, list.scrollHeight));
    const last = chat.page.locator('[data-entry="a64.e"] .continue-turn');
    await last.waitFor({ state: 'attached' });
    assert.equal(await last.isVisible(), false);
    answerLater(undefined);
    await chat.page.getByRole('button', { name: 'Jump to Latest' }).click();
    await offered.waitFor();
  });

  it('says aloud that the agent is done while earlier messages are shown', async () => {
    const chat = await openLong();
    await find(chat, 'Question 55');
    await waitUntilInSight(chat.page, 'p55');
    await chat.transcript.grow([{ kind: 'end', id: 'end', turn: turnCount, outcome: 'failed', text: 'It broke.' }]);
    await eventually('the words', async () => assert.match(await chat.page.getByRole('log').innerText(), /It broke/));
    await chat.page.getByRole('button', { name: 'Jump to Latest (1 new)' }).waitFor();
  });

  it('is searched again when another one is shown', async () => {
    const chat = await openLong();
    await find(chat, 'Question 55');
    await chat.page.locator('.find-count').getByText('1 of 11', { exact: true }).waitFor();
    // Once more, as the jump has loaded another part.
    await chat.host.waitFor(chatRequests.find, 2);
    chat.host.answer(chatRequests.load, () => ({ isFound: false }));
    chat.host.answer(chatRequests.find, () => ({ found: [{ entryId: 'x', index: 0, count: 3 }] }));
    const [other] = turns(1, 2);
    assert.ok(other);
    const session = { ...sessionOf(), id: 'another' };
    await chat.tell({ session, transcript: { reset: true, put: [other], before: 5 } });
    await chat.page.locator('.find-count').getByText('of 3').waitFor();
  });

  it('is gone through prompt by prompt, past what is loaded', async () => {
    const chat = await openLong();
    await find(chat, 'Question 500');
    await waitUntilInSight(chat.page, 'p500');
    await chat.page.keyboard.press('Escape');
    await chat.page.locator('[data-entry="p500"]').evaluate((element) => element.focus({ preventScroll: true }));
    for (let step = 0; step < 40; step++) await chat.page.keyboard.press('Alt+ArrowDown');
    await eventually('a later prompt', async () => {
      await chat.page.keyboard.press('Alt+ArrowDown');
      assert.ok(await chat.page.locator('[data-entry="p525"]').count());
    });
  });

  it('does not fill the page while its end is followed', async () => {
    const chat = await openLong(20);
    for (let from = 21; from < 721; from += 50) await chat.transcript.grow(turns(from, from + 50));
    await eventually('a smaller page', async () => assert.ok((await loadedCount(chat.page)) < 800));
    await waitUntilInSight(chat.page, 'a720');
    const before = await topOf(chat.page, 'a720');
    await drawn(chat.page);
    assert.ok(Math.abs((await topOf(chat.page, 'a720')) - before) < 3);
  });

  it('does not fill the page while the reader stays somewhere', async () => {
    const chat = await openLong(250);
    await readTo(chat, 'p200');
    await drawn(chat.page);
    const id = await chat.page.$eval(scroller, (list) => {
      const { top } = list.getBoundingClientRect();
      const entries = [...list.querySelectorAll<HTMLElement>('.turn > .entry')];
      return entries.find((entry) => entry.getBoundingClientRect().top > top)?.dataset['entry'] ?? '';
    });
    const before = await topOf(chat.page, id);
    for (let from = 251; from < 851; from += 50) await chat.transcript.grow(turns(from, from + 50));
    await eventually('a smaller page', async () => assert.ok((await loadedCount(chat.page)) < 800));
    assert.ok(Math.abs((await topOf(chat.page, id)) - before) < 3);
    await chat.page.getByRole('button', { name: /^Jump to Latest \(1,200 new\)$/ }).waitFor();
  });
});
