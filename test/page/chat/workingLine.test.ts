// The line above the composer that says what is going on, from Enter to the end of the turn.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Activity } from '../../../src/chat/common/chatView';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import { silentAfterMs } from '../../../src/chat/common/page/workingLine';
import { overflowing } from '../support/layout';
import { pauseClock } from '../support/drawn';
import { themeNames } from '../support/themes';
import { now, sessionOf, snapshot } from './support/chatFixtures';
import type { PageOptions } from '../support/pageHarness';
import { ChatPages } from './support/chatPages';
import { lineSays, recordTexts } from './support/statusLines';
import { takePicture } from '../../support/pictures';

const since = now - 12_000;

interface State {
  readonly name: string;
  readonly activity: Activity;
  readonly text: string;
  readonly isSilent?: boolean;
  readonly isLong?: boolean;
}

const download = 'Starting Claude… The first start may take a few minutes because of a download.';

const states: readonly State[] = [
  { name: 'asking', activity: { kind: 'askingToSave' }, text: 'Waiting for your answer about unsaved files' },
  { name: 'saving', activity: { kind: 'savingCheckpoint', since }, text: 'Saving a checkpoint' },
  { name: 'starting', activity: { kind: 'starting', title: 'Starting Claude…', since }, text: 'Starting Claude' },
  { name: 'connecting', activity: { kind: 'connecting', since }, text: 'Connecting to Demo agent' },
  { name: 'working', activity: { kind: 'working', since }, text: 'Working' },
  { name: 'thinking', activity: { kind: 'thinking', since }, text: 'Thinking' },
  { name: 'answering', activity: { kind: 'answering', since }, text: 'Answering' },
  {
    name: 'running',
    activity: { kind: 'running', title: `npm test -- ${'--grep a '.repeat(20)}`, isCommand: true, count: 2, since },
    text: `Running npm test -- ${'--grep a '.repeat(20)} and 2 more calls`,
  },
  { name: 'waiting', activity: { kind: 'waiting', count: 1 }, text: 'Needs your approval' },
  { name: 'stopping', activity: { kind: 'stopping' }, text: 'Stopping' },
  {
    name: 'silent',
    activity: { kind: 'working', since: now - silentAfterMs },
    text: 'The agent is silent',
    isSilent: true,
  },
  { name: 'download', activity: { kind: 'starting', title: download, since }, text: download, isLong: true },
];

/** One for each way in which the line is drawn. */
const axeStates = new Set(['running', 'waiting', 'silent']);

describe('the working line', function () {
  this.timeout(120_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  /** `heardAt`: by the host's clock, which begins at `now`. */
  const open = async (activity: Activity, heardAt: number, beforeLine?: (page: Page) => Promise<void>) => {
    const status = activity.kind === 'stopping' ? 'stopping' : 'busy';
    const prepare: PageOptions['prepare'] = (host) => (host.clock = () => now);
    const chat = await pages.openChat(snapshot(sessionOf()), { height: 600, reducedMotion: true, prepare });
    await beforeLine?.(chat.page);
    await chat.tell({ session: sessionOf({ status, isBusy: true, activity }), heardAt });
    await chat.page.locator('.working').waitFor();
    return chat;
  };
  const openPaused = (activity: Activity) => open(activity, now, (page) => pauseClock(page, now));

  for (const { activity, isLong = false, isSilent = false, name, text } of states) {
    it(`says what is going on in every theme, and fits at every width: ${name}`, async () => {
      // However long this takes on a busy machine, it does not become silent.
      const chat = await open(activity, isSilent ? 0 : now + 600_000);
      const { page } = chat;
      assert.equal(await page.locator('.working [role=status]').textContent(), text);
      assert.match((await page.locator('.working-time').textContent()) ?? '', /^\d+\u00a0s$/);
      for (const width of [250, 300, 360, 400, 850]) {
        await page.setViewportSize({ width, height: 600 });
        assert.deepEqual(await misfits(page, isLong || isSilent ? 80 : 26), [], `${width} px`);
      }
      await page.setViewportSize({ width: 300, height: 600 });
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        if (axeStates.has(name)) assert.deepEqual(await chat.axe(), [], theme);
        await takePicture(page.locator('.chat-bottom'), `working-${name}-${theme}`);
      }
      assert.deepEqual(chat.problems, []);
    });
  }

  it('is there as soon as a prompt is sent, before the host has said anything, and goes when the turn has ended', async () => {
    const chat = await pages.openChat(snapshot(sessionOf()), {
      prepare: (host) => host.answer(chatRequests.send, () => new Promise<Record<string, never>>(() => undefined)),
    });
    assert.equal(await chat.page.locator('.working').count(), 0);
    await chat.tell({ session: sessionOf(), heardAt: Date.now() - 3_600_000 });
    await chat.composer.fill('Hello');
    await chat.composer.press('Enter');
    await lineSays(chat, 'Working');
    assert.equal(await chat.page.locator('.working.is-working').count(), 1, 'the silence before does not count');
    await chat.tellSession({ status: 'busy', isBusy: true, activity: { kind: 'thinking', since: Date.now() } });
    await lineSays(chat, 'Thinking');
    await chat.tellSession({ status: 'signIn', isBusy: true });
    await chat.page.locator('.working').waitFor({ state: 'detached' });
  });

  it('counts the seconds, says when it has become silent, and offers Stop and the log', async () => {
    const chat = await openPaused({ kind: 'thinking', since });
    const asked: string[] = [];
    chat.host.answer(chatRequests.stop, () => {
      asked.push('stop');
      return {};
    });
    chat.host.answer(chatRequests.showLog, () => {
      asked.push('log');
      return {};
    });
    const time = chat.page.locator('.working-time');
    assert.equal(await time.textContent(), '12\u00a0s');
    await chat.page.clock.runFor(7_000);
    assert.equal(await time.textContent(), '19\u00a0s');
    await chat.page.clock.runFor(silentAfterMs - 7_000);
    await lineSays(chat, 'The agent is silent');
    assert.equal(await time.textContent(), '20\u00a0s');
    await chat.page.getByRole('button', { name: 'Show Log' }).click();
    await chat.page.locator('.working').getByRole('button', { name: 'Stop' }).click();
    assert.deepEqual(asked, ['log', 'stop']);
    await chat.tell({ transcript: { put: [], before: 0 }, heardAt: now + silentAfterMs });
    await chat.page.clock.runFor(1_000);
    await lineSays(chat, 'Thinking');
  });

  it('is announced once for each state, not each second', async () => {
    const chat = await openPaused({ kind: 'thinking', since });
    const said = await recordTexts(chat.page, '.working [role=status]');
    await chat.page.clock.runFor(5_000);
    await chat.tellSession({ status: 'busy', isBusy: true, activity: { kind: 'running', title: 'Read a.ts', since } });
    await lineSays(chat, 'Read a.ts');
    await chat.page.clock.runFor(5_000);
    assert.deepEqual(await said(), ['Read a.ts']);
  });
});

/** What leaves the line, is cut too short or makes it too high. */
async function misfits(page: Page, maxHeight: number): Promise<string[]> {
  const found = await overflowing(page);
  const line = await page.locator('.working').boundingBox();
  if (!line || line.height > maxHeight) return [...found, `line ${JSON.stringify(line)}`];
  for (const child of await page.locator('.working > *, .working-what > *, .working button').all()) {
    const box = await child.boundingBox();
    const isInside = box && box.x >= line.x && box.x + box.width <= line.x + line.width + 0.5;
    if (!isInside) found.push(`child ${JSON.stringify(box)}`);
  }
  const text = await page.locator('.working-text').evaluate((element) => {
    const { fontSize } = getComputedStyle(element);
    return { width: element.clientWidth, needed: element.scrollWidth, em: parseFloat(fontSize) };
  });
  if (text.width < Math.min(text.needed, 8 * text.em) - 1) found.push(`text ${JSON.stringify(text)}`);
  return found;
}
