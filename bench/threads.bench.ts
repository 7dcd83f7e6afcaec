// Lists, text index and search of 2,000 generated threads, beside reading them all. Run by `npm run bench -- threads.bench`.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import { median, printBenchLine, type BenchResult } from './lib/benchLine';
import { runRole } from './support/roleRun';
import { indexOnce, listOnce, listWatched, readPlainly, searchOften } from './support/threadSubjects';
import { makeThreadStore } from './support/threadStore';
import { buildThreadWorker } from './support/threadWorker';

const threads = 2_000;
const changedThreads = threads / 100;
const rounds = 5;
const Told = z.object({ ms: z.number(), count: z.number().optional() });

async function main(): Promise<void> {
  const store = makeThreadStore(threads);
  const worker = await buildThreadWorker();
  const index = mkdtempSync(path.join(tmpdir(), 'backline-index-'));
  const forget = (): void => rmSync(index, { recursive: true, force: true });
  const measure = async (role: string): Promise<number> => {
    const { ms, count = threads } = Told.parse(await runRole(role, store.folder, index, worker.file));
    if (count !== threads) throw new Error(`${count} of ${threads} threads were listed.`);
    return ms;
  };
  const change = (): void => {
    for (const file of store.files.slice(0, changedThreads)) appendFileSync(file, '\n');
  };
  const cold = (role: string) => () => {
    forget();
    return measure(role);
  };
  const changed = (): Promise<number> => {
    change();
    return measure('list');
  };
  try {
    await compare('threads.first', 1.2, measure, cold('list'));
    printMs('threads.firstBlock', 16, await repeat(3, cold('watched')));
    await compare('threads.fullText', 4, measure, cold('texts'));
    await compare('threads.second', 0.06, measure, () => measure('list'));
    await compare('threads.onePercent', 0.12, measure, changed);
    printMs('threads.search', 50, await repeat(3, () => measure('search')));
  } finally {
    forget();
    store.remove();
    worker.remove();
  }
}

/** In turns, so that both meet the same machine. */
async function compare(
  bench: string,
  bar: number,
  measure: (role: string) => Promise<number>,
  ours: () => Promise<number>,
): Promise<void> {
  const values: number[] = [];
  const peers: number[] = [];
  for (let round = 0; round < rounds; round++) {
    peers.push(await measure('plain'));
    values.push(await ours());
  }
  const peer = { name: 'readdir + JSON.parse', value: median(peers) };
  printBenchLine({ bench, value: median(values), unit: 'ms', peer, bar, better: 'lower' } satisfies BenchResult);
}

function printMs(bench: string, bar: number, values: readonly number[]): void {
  printBenchLine({ bench, value: median(values), unit: 'ms', bar, better: 'lower' });
}

async function repeat(times: number, work: () => Promise<number>): Promise<readonly number[]> {
  const values: number[] = [];
  for (let time = 0; time < times; time++) values.push(await work());
  return values;
}

const [role = '', store = '', index = '', worker = ''] = process.argv.slice(2);
const roles: Readonly<Record<string, () => void | Promise<void>>> = {
  plain: () => readPlainly(store),
  list: () => listOnce(store, index, worker),
  texts: () => indexOnce(store, index, worker),
  watched: () => listWatched(store, index, worker),
  search: () => searchOften(store, index, worker),
};
Promise.resolve((roles[role] ?? main)()).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
