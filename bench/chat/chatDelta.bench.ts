import { createServer, type Server } from 'node:http';
import * as esbuild from 'esbuild';
import type { Page } from 'playwright-core';
import { launchChromium } from '../../scripts/lib/chromium.mjs';
import { pageBundle } from '../../scripts/lib/bundles/pageBundle.mjs';
import { typicalAnswer } from '../lib/typicalAnswer';
import { percentile, printBenchLine } from '../lib/benchLine';

/**
 * `chat.delta`: milliseconds of the page for a delta of four characters, in an answer of 32 KB with code, sanitised and
 * highlighted; p99 over the last quarter of the answer, which has all that answers have. The answer is streamed several
 * times and the least counts for each delta: what other processes took of the processor meanwhile is not the page's. The
 * peer renders the whole answer anew for each delta, and is measured over the end, where it is about 32 KB long.
 */
const barMs = 4;
const answerUnits = 32 * 1024;
const measuredUnits = 8 * 1024;
const warmUnits = 2 * 1024;
const naiveUnits = 64;
const rounds = 4;

async function main(): Promise<void> {
  const server = await servePage();
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 400, height: 800 } });
    await page.goto(addressOf(server));
    const answer = typicalAnswer(answerUnits);
    await deltasOf(page, 'stream', answer, answer.length - warmUnits);
    const ours = await leastOf(rounds, () => deltasOf(page, 'stream', answer, answer.length - measuredUnits));
    const theirs = await leastOf(1, () => deltasOf(page, 'naive', answer, answer.length - naiveUnits));
    printBenchLine({
      bench: 'chat.delta',
      value: percentile(ours, 0.99),
      unit: 'ms',
      peer: { name: 'markdown-it, highlight.js and DOMPurify to innerHTML', value: percentile(theirs, 0.99) },
      bar: barMs,
      barOf: 'value',
      better: 'lower',
    });
  } finally {
    await browser.close();
    server.close();
  }
}

/** Of each delta its shortest time. */
async function leastOf(count: number, measure: () => Promise<number[]>): Promise<number[]> {
  let least: number[] = [];
  for (let round = 0; round < count; round++) {
    const times = await measure();
    least = times.map((ms, at) => Math.min(ms, least[at] ?? Infinity));
  }
  return least;
}

function deltasOf(page: Page, way: 'stream' | 'naive', answer: string, from: number): Promise<number[]> {
  return page.evaluate(`window.benchDeltas(${JSON.stringify(way)}, ${JSON.stringify(answer)}, ${from})`);
}

async function servePage(): Promise<Server> {
  const { outputFiles } = await esbuild.build({
    ...pageBundle({
      name: 'page',
      script: 'bench/page/markdownDeltas.ts',
      style: 'src/transcript/browser/markdown/markdown.css',
    }),
    absWorkingDir: process.cwd(),
    outdir: 'out/bench/page',
    minify: true,
    write: false,
    logLevel: 'warning',
  });
  const textOf = (extension: string): string => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  const served = new Map([
    [
      '/',
      {
        type: 'text/html',
        body: `<!DOCTYPE html><link rel="stylesheet" href="/page.css"><body><script src="/page.js"></script>`,
      },
    ],
    ['/page.js', { type: 'text/javascript', body: textOf('.js') }],
    ['/page.css', { type: 'text/css', body: textOf('.css') }],
  ]);
  const server = createServer(({ url = '' }, response) => {
    const { type = 'text/plain', body = '' } = served.get(url) ?? {};
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function addressOf(server: Server): string {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The server of the page does not listen.');
  return `http://127.0.0.1:${address.port}/`;
}

void main();
