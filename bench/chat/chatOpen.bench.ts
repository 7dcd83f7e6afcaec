// A conversation of 2,000 messages of 3 KB each: opened, scrolled through, made narrower. The peer renders the
// last quarter of them at once, since all of them take it minutes. Run by `npm run bench -- chatOpen`.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import * as z from 'zod';
import type { Entry } from '../../src/transcript/common/entries';
import { TranscriptDocument } from '../../src/transcript/common/transcriptDocument';
import { PageHarness, type OpenedPage } from '../../test/page/support/pageHarness';
import { median, printBenchLine, type BenchResult } from '../lib/benchLine';
import { didPatch, load, open } from '../lib/chatOpenApi';

const messages = 2_000;
const peerMessages = 500;
/** As the host of the chat sends at first. */
const tail = 40;
const rounds = 5;

const Processes = z.object({ processInfo: z.array(z.object({ type: z.string(), id: z.number() })) });

async function main(): Promise<void> {
  const transcript = new TranscriptDocument(fail);
  for (const entry of conversation()) transcript.put(entry);
  const pages = new PageHarness();
  await pages.start();

  const openMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const opened = await openPage(pages, transcript, tail);
    openMs.push(await openTime(opened.page));
    await opened.close();
  }
  const ours = await measure(pages, transcript, tail);
  const peer = await measure(pages, transcript, peerMessages);
  await pages.stop();
  const peerOf = (value: number): NonNullable<BenchResult['peer']> => ({
    name: `${peerMessages} messages rendered at once`,
    value,
  });
  printBenchLine({
    bench: 'chat.open2000',
    value: median(openMs),
    unit: 'ms',
    peer: peerOf(peer.openMs),
    bar: 0.07,
    orValue: 120,
    better: 'lower',
  });
  printBenchLine({
    bench: 'chat.memory2000',
    value: ours.memoryMb,
    unit: 'MB',
    peer: peerOf(peer.memoryMb),
    bar: 0.65,
    better: 'lower',
  });
  printBenchLine({
    bench: 'chat.resize2000',
    value: ours.resizeMs,
    unit: 'ms',
    peer: peerOf(peer.resizeMs),
    bar: 50,
    barOf: 'value',
    better: 'lower',
  });
}

function fail(error: unknown): void {
  throw error;
}

function* conversation(): Generator<Entry> {
  for (let at = 0; at < messages; at++) {
    const turn = Math.floor(at / 2) + 1;
    if (at % 2 === 0) yield { kind: 'prompt', id: `p${turn}`, turn, text: promptText(turn) };
    else yield { kind: 'answer', id: `a${turn}`, turn, text: answerText(turn) };
  }
}

const sentence = 'The parser reads one row at a time, and `splitRow` keeps what is **quoted** together. ';

function promptText(turn: number): string {
  return `${turn}. ${sentence.repeat(36)}`.slice(0, 3_000);
}

function answerText(turn: number): string {
  const code = Array.from({ length: 14 }, (_, at) => `  const field${at} = row.slice(${at}, ${at + 1}); // a field`);
  const blocks = [
    `### Answer ${turn}`,
    sentence.repeat(4),
    ...Array.from({ length: 6 }, (_, at) => `- Item ${at}: see [parse.ts](src/parse.ts#L${at + 1})`),
    `\n\`\`\`ts\nfunction splitRow(row: string) {\n${code.join('\n')}\n}\n\`\`\`\n`,
    '| case | before | after |\n|---|---|---|\n| quoted | 3 | 2 |\n| open | hangs | fails |\n',
    ...Array.from({ length: 3 }, () => `${sentence.repeat(4)}\n`),
  ];
  return blocks.join('\n').padEnd(3_000, ` ${sentence}`);
}

async function openPage(pages: PageHarness, transcript: TranscriptDocument, count: number): Promise<OpenedPage> {
  const feed = transcript.createFeed(count);
  return pages.openPage({
    entry: 'bench/page/chatOpenPage.tsx',
    style: 'bench/page/chatOpenPage.css',
    width: 400,
    height: 800,
    data: count === tail ? {} : { peer: '' },
    prepare: (host) => {
      host.answer(open, () => ({ patch: feed.takePatch() }));
      host.answer(load, async (request) => {
        const answer = feed.load(request);
        await host.notify(didPatch, feed.takePatch());
        return answer;
      });
    },
  });
}

/** From the snapshot's arrival until the last screen is drawn, in milliseconds. */
async function openTime(page: Page): Promise<number> {
  await page.waitForSelector('body[data-open-ms]', { timeout: 120_000 });
  const rawCount = Number(await page.getAttribute('body', 'data-raw-count'));
  if (rawCount > 0) throw new Error(`${rawCount} answers on the last screen were drawn before they were formatted.`);
  return Number(await page.getAttribute('body', 'data-open-ms'));
}

interface Measured {
  readonly openMs: number;
  readonly memoryMb: number;
  readonly resizeMs: number;
}

async function measure(pages: PageHarness, transcript: TranscriptDocument, count: number): Promise<Measured> {
  const opened = await openPage(pages, transcript, count);
  const openMs = await openTime(opened.page);
  if (count === tail) await scrollThrough(opened.page);
  const resizeMs = await resizeTime(opened.page);
  const memoryMb = await rendererMb(opened.page);
  await opened.close();
  return { openMs, memoryMb, resizeMs };
}

/** Up to the first message, page by page as a reader would, and down again. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const scroller = document.querySelector('.transcript-scroll');
    const frame = () => new Promise(requestAnimationFrame);
    const isFirst = () => document.querySelector('[data-entry="p1"]') !== null && scroller.scrollTop === 0;
    const isLast = () => document.querySelector('[data-entry="a1000"]') !== null && scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2;
    const go = async (isThere, pixels) => {
      const deadline = performance.now() + 120000;
      while (!isThere() && performance.now() < deadline) {
        scroller.scrollTop += pixels;
        await frame();
      }
      if (isThere()) return;
      const first = document.querySelector('.entry').dataset.entry;
      throw new Error('Stopped at ' + scroller.scrollTop + ' of ' + scroller.scrollHeight + ', first is ' + first);
    };
    await go(isFirst, -6000);
    await go(isLast, 12000);
  })()`);
}

/** The longest a width change keeps the page from drawing, in milliseconds; the median of several. */
async function resizeTime(page: Page): Promise<number> {
  const times: number[] = [];
  for (const width of [500, 420, 600, 380, 520]) {
    await page.evaluate(`void (window.resized = new Promise((resolve) =>
      addEventListener('resize', () => {
        const startMs = performance.now();
        requestAnimationFrame(() => {
          document.body.offsetHeight;
          const channel = new MessageChannel();
          channel.port1.onmessage = () => resolve(performance.now() - startMs);
          channel.port2.postMessage(0);
        });
      }, { once: true })))`);
    await page.setViewportSize({ width, height: 800 });
    times.push(z.number().parse(await page.evaluate('window.resized')));
  }
  return median(times);
}

/** Resident memory of the page's process after a collection; it is the largest, since the others are empty. */
async function rendererMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.detach();
  const browser = page.context().browser();
  if (!browser) throw new Error('The page has no browser.');
  const ofBrowser = await browser.newBrowserCDPSession();
  const { processInfo } = Processes.parse(await ofBrowser.send('SystemInfo.getProcessInfo'));
  await ofBrowser.detach();
  const sizes = await Promise.all(
    processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => residentMb(id)),
  );
  return Math.max(...sizes);
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
