import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import * as z from 'zod';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import type { ThreadHead } from '../../src/threads/common/threadPorts';
import { ThreadIndex } from '../../src/threads/node/index/threadIndex';
import { ThreadWorkerOwner } from '../../src/threads/node/worker/threadWorkerOwner';
import { tellParent } from '../lib/child';
import { longestBlock } from './blocks';
import { Spent } from './spent';

/**
 * What is measured, each in a fresh process that tells milliseconds, of processors where it has a peer. Arguments: the
 * store, the index, the worker.
 */

const Thread = z.looseObject({ messages: z.array(z.unknown()) });

/** What a reader does that has no index: all of it, one after another. */
export async function readPlainly(store: string): Promise<void> {
  const spent = new Spent();
  let messages = 0;
  const names = readdirSync(store);
  for (const name of names) {
    const thread: unknown = JSON.parse(readFileSync(path.join(store, name), 'utf8'));
    messages += Thread.parse(thread).messages.length;
  }
  if (messages === 0) throw new Error('There was nothing to read.');
  tellParent({ listMs: await spent.ms(), count: names.length });
}

export async function listOnce(store: string, folder: string, workerFile: string): Promise<void> {
  const spent = new Spent();
  const index = indexOf(folder, workerFile);
  const { heads } = await index.list([store]);
  const listMs = await spent.ms();
  index.dispose();
  check(heads);
  tellParent({ listMs, count: heads.length });
}

/** The list, and then the text of everything. */
export async function indexOnce(store: string, folder: string, workerFile: string): Promise<void> {
  const spent = new Spent();
  const index = indexOf(folder, workerFile);
  const { heads } = await index.list([store]);
  const listMs = await spent.ms();
  await indexedTexts(index, heads.length);
  const textsMs = await spent.ms();
  index.dispose();
  check(heads);
  tellParent({ listMs, textsMs, count: heads.length });
}

function check(heads: readonly ThreadHead[]): void {
  if (heads.some(({ problem }) => problem !== undefined)) throw new Error('A thread could not be read.');
}

export async function listWatched(store: string, folder: string, workerFile: string): Promise<void> {
  const index = indexOf(folder, workerFile);
  const ms = await longestBlock(async () => {
    await index.list([store]);
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
      const spent = new Spent();
      hits += (await index.search(query)).hits.length;
      times.push(await spent.ms());
    }
    medians.push(times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0);
  }
  if (hits === 0) throw new Error('Nothing was found.');
  if (process.env['BENCH_DETAILS'] !== undefined) console.error(queries.map((query, i) => `${query}: ${medians[i]}`));
  tellParent({ ms: Math.max(...medians) });
  index.dispose();
}

/** Ends its worker with itself. */
class OwnIndex extends ThreadIndex {
  constructor(
    folder: string,
    private readonly worker: ThreadWorkerOwner,
  ) {
    super({ folder, worker, clock: systemClock, log: nullLogger });
  }

  override dispose(): void {
    super.dispose();
    this.worker.dispose();
  }
}

function indexOf(folder: string, workerFile: string): ThreadIndex {
  return new OwnIndex(folder, new ThreadWorkerOwner({ workerFile, clock: systemClock, log: nullLogger }));
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
