// What a search of the text of all conversations takes: `list.search`, and what its index does. Run by `npm run bench -- chatSearch`.
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod';
import { conversationTextsWorkerBundle } from '../../scripts/lib/bundles/conversationTextsWorker.mjs';
import { nullLogger } from '../../src/base/common/log';
import { NodeFiles } from '../../src/base/node/filePort';
import { systemClock } from '../../src/base/node/systemClock';
import { logVersion } from '../../src/chat/common/conversation/logRecord';
import { WorkerTextSearch } from '../../src/chat/node/search/workerTextSearch';
import { median, printBenchLine } from '../lib/benchLine';
import { tellParent } from '../lib/child';
import { seededRandom, type Random } from '../support/random';
import { runRole } from '../support/roleRun';
import { Spent } from '../support/spent';

const count = 5_000;
const totalBytes = 2 * 1024 ** 3;
const turns = 4;
const rounds = 5;
const Taken = z.object({ ms: z.number(), firstMs: z.number(), mib: z.number() });
const syllables = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo ya zen tor mil gan dor lek'.split(' ');
/** In one conversation. */
const needle = 'unmistakable';
const queries = [needle, 'ba', 'baceba dicefo', '"zentor milgan"', 'nothing like that', 'zen tor mil gan'];

async function main(): Promise<void> {
  const place = mkdtempSync(path.join(tmpdir(), 'backline-bench-'));
  try {
    const root = path.join(place, 'conversations');
    writeConversations(root);
    await build({ ...conversationTextsWorkerBundle(), absWorkingDir: process.cwd(), outdir: place, minify: true });
    await measure(root, path.join(place, 'conversation-texts-worker.js'));
  } finally {
    rmSync(place, { recursive: true });
  }
}

async function measure(root: string, workerFile: string): Promise<void> {
  const peer = { name: 'reading the logs', value: await readAll(root) };
  const built = openSearch(root, workerFile);
  const building = new Spent();
  await built.update();
  const buildMs = await building.ms();
  built.dispose();
  const { firstMs, mib, ms } = Taken.parse(await runRole('search', root, workerFile));
  const line = { unit: 'ms of its threads', peer, better: 'lower' } as const;
  printBenchLine({ ...line, bench: 'list.search', value: ms, bar: 300, barOf: 'value' });
  printBenchLine({ ...line, bench: 'list.search.first', value: firstMs });
  printBenchLine({ ...line, bench: 'list.search.index', value: buildMs });
  printBenchLine({ bench: 'list.search.memory', value: mib, unit: 'MiB', bar: 60, better: 'lower' });
}

function openSearch(root: string, workerFile: string): WorkerTextSearch {
  const folder = path.join(root, 'index', 'texts');
  const deps = { root, folder, workerFile, files: new NodeFiles(), clock: systemClock, log: nullLogger };
  return new WorkerTextSearch(deps);
}

/** In a new process, as a new window. */
async function searchOften(root: string, workerFile: string): Promise<void> {
  const before = process.memoryUsage().rss;
  const search = openSearch(root, workerFile);
  const first = new Spent();
  const { hits, left } = await search.search(needle);
  const firstMs = await first.ms();
  if (hits.length !== 1 || left) throw new Error(`${hits.length} conversations were found.`);
  const medians: number[] = [];
  const found: number[] = [];
  for (const query of queries) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const spent = new Spent();
      found.push((await search.search(query)).hits.length);
      times.push(await spent.ms());
    }
    medians.push(median(times));
  }
  if (process.env['BENCH_DETAILS'] !== undefined) console.error({ queries, medians, found });
  tellParent({ ms: Math.max(...medians), firstMs, mib: (process.memoryUsage().rss - before) / 2 ** 20 });
  search.dispose();
  process.disconnect();
}

/** Looks for the word in the bytes of all logs. */
async function readAll(root: string): Promise<number> {
  const spent = new Spent();
  let found = 0;
  for (const id of readdirSync(root)) {
    for await (const chunk of createReadStream(path.join(root, id, 'log.jsonl'), { highWaterMark: 256 * 1024 })) {
      if (chunk instanceof Buffer && chunk.includes(needle)) found++;
    }
  }
  if (found === 0) throw new Error('Nothing was found.');
  return await spent.ms();
}

function writeConversations(root: string): void {
  const random = seededRandom(7);
  const outputBytes = totalBytes / count / turns - 3000;
  const output = textOf(outputBytes, random);
  for (let index = 0; index < count; index++) {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    mkdirSync(path.join(root, id), { recursive: true });
    const records = [
      { type: 'begin', at: 1, version: logVersion, id, backendId: 'bench' },
      ...turnsOf(index, output, random),
    ];
    const lines = records.map((record) => `${JSON.stringify(record)}\n`);
    writeFileSync(path.join(root, id, 'log.jsonl'), lines.join(''));
  }
}

function turnsOf(index: number, output: string, random: Random): unknown[] {
  const records: unknown[] = [];
  const at = 1_700_000_000_000 + index * 60_000;
  const tell = (event: string, data: object): void =>
    void records.push({ type: 'event', at, event: { event, data: { session_id: 's', ...data } } });
  for (let turn = 0; turn < turns; turn++) {
    const prompt = `${textOf(200, random)}${index === count / 2 && turn === 0 ? ` ${needle}` : ''}`;
    const call = { tool_name: 'Bash', tool_call_id: `c${turn}`, operation: 'execute' };
    records.push({ type: 'prompt', at, id: `p${turn}`, text: prompt, attachments: [] });
    tell('prompt:submit', { prompt });
    tell('tool:pre', { ...call, input: { command: `make ${textOf(20, random)}` } });
    const content = [{ type: 'text', text: output }];
    tell('tool:post', { ...call, result: { success: true }, content });
    tell('content_block:start', { block_type: 'text', block_index: 0 });
    tell('content_block:delta', { block_index: 0, delta: textOf(1500, random) });
    tell('content_block:end', { block_index: 0, block: { type: 'text', text: '' } });
    tell('prompt:complete', { response: '' });
  }
  return records;
}

function textOf(units: number, random: Random): string {
  let text = '';
  while (text.length < units) {
    const length = 1 + Math.floor(random() * 3);
    for (let syllable = 0; syllable < length; syllable++)
      text += syllables[Math.floor(random() ** 2 * syllables.length)] ?? '';
    text += ' ';
  }
  return text;
}

const [role, root = '', workerFile = ''] = process.argv.slice(2);
if (role === 'search') void searchOften(root, workerFile);
else void main();
