import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import * as z from 'zod';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import { ThreadIndex } from '../../src/threads/node/index/threadIndex';
import { tellParent } from '../lib/child';
import { longestBlock } from './blocks';

/** What is measured, each in a fresh process that tells milliseconds. Arguments: the store, the index, the worker. */

const Thread = z.looseObject({ messages: z.array(z.unknown()) });

/** What a reader does that has no index: all of it, one after another. */
export function readPlainly(store: string): void {
  const startedAt = performance.now();
  let messages = 0;
  for (const name of readdirSync(store)) {
    const thread: unknown = JSON.parse(readFileSync(path.join(store, name), 'utf8'));
    messages += Thread.parse(thread).messages.length;
  }
  if (messages === 0) throw new Error('There was nothing to read.');
  tellParent({ ms: performance.now() - startedAt });
}

export async function listOnce(store: string, folder: string, workerFile: string): Promise<void> {
  const startedAt = performance.now();
  const index = indexOf(folder, workerFile);
  const { heads } = await index.list([store]);
  const ms = performance.now() - startedAt;
  if (heads.some(({ problem }) => problem !== undefined)) throw new Error('A thread could not be read.');
  tellParent({ ms, count: heads.length });
  // What is saved after the list is for the next process; the text has a measurement of its own.
  await indexedTexts(index, heads.length);
  index.dispose();
}

/** The list and the text of everything. */
export async function indexOnce(store: string, folder: string, workerFile: string): Promise<void> {
  const startedAt = performance.now();
  const index = indexOf(folder, workerFile);
  const { heads } = await index.list([store]);
  await indexedTexts(index, heads.length);
  tellParent({ ms: performance.now() - startedAt, count: heads.length });
  index.dispose();
}

export async function listWatched(store: string, folder: string, workerFile: string): Promise<void> {
  const index = indexOf(folder, workerFile);
  const ms = await longestBlock(async () => {
    await index.list([store], { onHeads: () => undefined });
  });
  tellParent({ ms });
  index.dispose();
}

const queries = [
  'ba',
  'the ledger',
  'zentor milgan',
  '"bace digu"',
  'so',
  'qui ro su',
  'naïve resume',
  'bacefo kilo fi',
  '"fo gu ha"',
];
const rounds = 7;

/** The slowest of a few ordinary and awkward questions, each by its median. */
export async function searchOften(store: string, folder: string, workerFile: string): Promise<void> {
  const index = indexOf(folder, workerFile);
  const { heads } = await index.list([store]);
  await indexedTexts(index, heads.length);
  const medians: number[] = [];
  let hits = 0;
  for (const query of queries) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now();
      hits += (await index.search(query)).hits.length;
      times.push(performance.now() - startedAt);
    }
    medians.push(times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0);
  }
  if (hits === 0) throw new Error('Nothing was found.');
  if (process.env['BENCH_DETAILS'] !== undefined) console.error(queries.map((query, i) => `${query}: ${medians[i]}`));
  tellParent({ ms: Math.max(...medians) });
  index.dispose();
}

function indexOf(folder: string, workerFile: string): ThreadIndex {
  return new ThreadIndex({ folder, workerFile, clock: systemClock, log: nullLogger });
}

async function indexedTexts(index: ThreadIndex, total: number): Promise<void> {
  // The timers of the index do not keep a process alive.
  const timer = setTimeout(() => undefined, 100_000);
  await new Promise<void>((resolve) => {
    index.onDidChangeCoverage((coverage) => {
      if (coverage.indexed >= total) resolve();
    });
  });
  clearTimeout(timer);
}
