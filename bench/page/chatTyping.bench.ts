// `chat.typing`: from a key in the prompt until the text that has it is painted, while an agent sends 20,000 updates a second; from
// the time of the key by the browser, p95. Run by `npm run bench -- chatTyping`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import * as z from 'zod';
import { systemClock } from '../../src/base/node/systemClock';
import { chatRequests, didUpdate } from '../../src/chat/common/page/chatApi';
import { ChatTranscript } from '../../src/chat/common/transcript/chatTranscript';
import type { SessionEvent } from '../../src/session/common/sessionEvents';
import { FakeChat } from '../../test/fake/fakeChats';
import { ChatPages } from '../../test/page/chat/support/chatPages';
import { benchFeed } from '../lib/benchFeed';
import { percentile, printBenchLine } from '../lib/benchLine';
import { runWithPages } from '../lib/runWithPages';
import { typicalAnswer } from '../lib/typicalAnswer';

const updatesPerSecond = 20_000;
const keys = 100;
/** As fast as people type who type fast. */
const keyPauseMs = 100;
const answerUnits = 8 * 1024;
const deltaUnits = 4;
const thoughts = 200;
const outputs = 200;

const pages = new ChatPages();
void runWithPages(pages, async () => {
  const value = percentile(await keyTimes(pages), 0.95);
  printBenchLine({ bench: 'chat.typing', value, unit: 'ms', bar: 100, better: 'lower' });
});

async function keyTimes(pages: ChatPages): Promise<number[]> {
  const chat = new FakeChat('one');
  const transcript = new ChatTranscript(chat.transcript, 'Demo agent');
  const { page } = await pages.openPage({
    entry: 'src/chat/browser/chatMain.tsx',
    prepare: (host) => {
      const feed = benchFeed(systemClock, (update) => void host.notify(didUpdate, update));
      feed.show(chat);
      host.answer(chatRequests.ready, () => {
        feed.connectPage();
        return {};
      });
      host.answer(chatRequests.shown, () => {
        feed.onShown();
        return {};
      });
      host.answer(chatRequests.load, ({ request }) => feed.load(request));
    },
  });
  const composer = page.getByRole('textbox', { name: 'Prompt' });
  await composer.focus();
  chat.change({ status: 'busy' });
  await watchKeys(page);

  // Keys do not wait for each other, as those of a user do not.
  const end = new AbortController();
  const flood = sendUpdates(transcript, end.signal);
  const presses: Promise<void>[] = [];
  for (let key = 0; key < keys; key++) {
    await sleep(keyPauseMs);
    presses.push(page.keyboard.press('x'));
  }
  end.abort();
  await flood;
  await Promise.all(presses);
  const times = z.array(z.number()).parse(await page.evaluate('Promise.all(window.keyTimes)'));
  if (times.length !== keys) throw new Error(`${times.length} of ${keys} keys arrived.`);
  chat.transcript.dispose();
  return times;
}

/** Notes for each key when a frame with its text is painted. */
async function watchKeys(page: Page): Promise<void> {
  await page.evaluate(`void (window.keyTimes = [], addEventListener('keydown', ({ timeStamp }) => {
    window.keyTimes.push(new Promise((resolve) => requestAnimationFrame(() => {
      // After the frame is painted.
      const channel = new MessageChannel();
      channel.port1.onmessage = () => resolve(performance.now() - timeStamp);
      channel.port2.postMessage(0);
    })));
  }, { capture: true }))`);
}

async function sendUpdates(transcript: ChatTranscript, signal: AbortSignal): Promise<void> {
  const startMs = performance.now();
  const events = turnsWithoutEnd();
  let sent = 0;
  while (!signal.aborted) {
    const due = ((performance.now() - startMs) * updatesPerSecond) / 1_000;
    for (; sent < due; sent++) transcript.applyRecord({ type: 'event', at: Date.now(), event: events.next().value });
    await sleep(2);
  }
}

/** Thoughts, a command with its output, an answer, and so on. */
function* turnsWithoutEnd(): Generator<SessionEvent, never> {
  const session_id = 'one';
  const answer = typicalAnswer(answerUnits);
  for (let block = 0; ; block++) {
    for (let at = 0; at < thoughts; at++) yield { event: 'thinking:delta', data: { session_id, delta: 'a thought ' } };
    const call = { session_id, call_id: `call ${block}`, tool_name: 'bash', operation: 'execute' };
    yield { event: 'tool:pre', data: { ...call, kind: 'execute', title: 'npm test', input: { command: 'npm test' } } };
    let output = '';
    for (let at = 0; at < outputs; at++) {
      output += `ok ${at} a test with some name\n`;
      yield {
        event: 'tool:update',
        data: { ...call, status: 'in_progress', content: [{ type: 'terminal', terminal_id: `t${block}`, output }] },
      };
    }
    yield { event: 'tool:post', data: { ...call, result: { success: true } } };
    yield { event: 'content_block:start', data: { session_id, block_type: 'text', block_index: block } };
    for (let at = 0; at < answer.length; at += deltaUnits) {
      const delta = answer.slice(at, at + deltaUnits);
      yield { event: 'content_block:delta', data: { session_id, block_index: block, delta } };
    }
    yield { event: 'content_block:end', data: { session_id, block_index: block } };
  }
}
