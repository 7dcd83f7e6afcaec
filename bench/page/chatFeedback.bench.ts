// `chat.feedback`: from Enter until the line that says that the agent works is painted, while the host does not answer yet; from
// the time of the key by the browser, p95. Run by `npm run bench -- chatFeedback`.
import type { Page } from 'playwright-core';
import * as z from 'zod';
import { chatRequests } from '../../src/chat/common/page/chatApi';
import { entries, sessionOf, snapshot } from '../../test/page/chat/support/chatFixtures';
import { ChatPages } from '../../test/page/chat/support/chatPages';
import { percentile, printBenchLine } from '../lib/benchLine';
import { runWithPages } from '../lib/runWithPages';

const prompts = 40;
/** As many entries as a page has after a long conversation. */
const turns = 100;

const pages = new ChatPages();
void runWithPages(pages, async () => {
  const value = percentile(await feedbackTimes(pages), 0.95);
  printBenchLine({ bench: 'chat.feedback', value, unit: 'ms', bar: 100, better: 'lower' });
});

async function feedbackTimes(pages: ChatPages): Promise<number[]> {
  const sends: (() => void)[] = [];
  const put = Array.from({ length: turns }, (_, turn) =>
    entries.map((entry) => ({ ...entry, id: `${turn} ${entry.id}`, turn: turn + 1 })),
  ).flat();
  const first = snapshot(sessionOf(), { transcript: { reset: true, put, before: 0 } });
  const { composer, page } = await pages.openChat(first, {
    prepare: (host) => host.answer(chatRequests.send, () => new Promise((resolve) => sends.push(() => resolve({})))),
  });
  const times: number[] = [];
  for (let round = 0; round < prompts; round++) {
    await composer.fill(`Prompt ${round}`);
    await watchEnter(page);
    await composer.press('Enter');
    times.push(z.number().parse(await page.evaluate('window.feedbackTime')));
    sends.shift()?.();
    await page.locator('.working').waitFor({ state: 'detached' });
  }
  return times;
}

/** Notes, from the next key on, when a frame with the line is painted. */
async function watchEnter(page: Page): Promise<void> {
  await page.evaluate(`void (window.feedbackTime = new Promise((resolve) => {
    addEventListener('keydown', ({ timeStamp }) => {
      const look = () => {
        if (!document.querySelector('.working')) return requestAnimationFrame(look);
        // After the frame is painted.
        const channel = new MessageChannel();
        channel.port1.onmessage = () => resolve(performance.now() - timeStamp);
        channel.port2.postMessage(0);
      };
      requestAnimationFrame(look);
    }, { once: true, capture: true });
  }))`);
}
