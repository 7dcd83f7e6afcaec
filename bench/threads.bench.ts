// Lists, text index and search of 2,000 generated threads, beside reading them all. Run by `npm run bench -- threads.bench`.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import { median, printBenchLine } from './lib/benchLine';
import { runRole } from './support/roleRun';
import { indexOnce, listOnce, listWatched, readPlainly, searchOften } from './support/threadSubjects';
import { makeThreadStore, type ThreadStore } from './support/threadStore';
import { buildThreadWorker } from './support/threadWorker';

const threads = 2_000;
const changedThreads = threads / 100;
const rounds = 7;
/** Of what has no peer to be beside. */
const plainRounds = 3;
const Read = z.object({ listMs: z.number(), textsMs: z.number().optional(), count: z.number() });
const Told = z.object({ ms: z.number() });

async function main(): Promise<void> {
  const store = makeThreadStore(threads);
  const worker = await buildThreadWorker();
  const index = mkdtempSync(path.join(tmpdir(), 'backline-index-'));
  const run = (role: string): Promise<unknown> => runRole(role, store.folder, index, worker.file);
  const forget = (): void => rmSync(index, { recursive: true, force: true });
  try {
    await compare(store, run, forget);
    print('threads.search', 'ms of its threads', 50, await repeat(() => run('search')));
    print(
      'threads.firstBlock',
      'ms',
      16,
      await repeat(() => {
        forget();
        return run('watched');
      }),
    );
  } finally {
    forget();
    store.remove();
    worker.remove();
  }
}

/** In turns, so that all of them meet the same machine. */
async function compare(store: ThreadStore, run: (role: string) => Promise<unknown>, forget: () => void): Promise<void> {
  const read = async (role: string): Promise<{ listMs: number; textsMs: number }> => {
    const { listMs, textsMs = NaN, count } = Read.parse(await run(role));
    if (count !== threads) throw new Error(`${count} of ${threads} threads were read.`);
    return { listMs, textsMs };
  };
  const peers: number[] = [];
  const [first, fullText, second, onePercent]: number[][] = [[], [], [], []];
  for (let round = 0; round < rounds; round++) {
    peers.push((await read('plain')).listMs);
    forget();
    const cold = await read('texts');
    first?.push(cold.listMs);
    fullText?.push(cold.textsMs);
    second?.push((await read('list')).listMs);
    for (const file of store.files.slice(0, changedThreads)) appendFileSync(file, '\n');
    onePercent?.push((await read('list')).listMs);
  }
  const peer = { name: 'readdir + JSON.parse', value: median(peers) };
  const printRatio = (bench: string, bar: number, values: readonly number[] = []): void =>
    printBenchLine({ bench, value: median(values), unit: 'ms of its threads', peer, bar, better: 'lower' });
  printRatio('threads.first', 1.2, first);
  printRatio('threads.fullText', 4, fullText);
  printRatio('threads.second', 0.06, second);
  printRatio('threads.onePercent', 0.1, onePercent);
}

function print(bench: string, unit: string, bar: number, values: readonly number[]): void {
  printBenchLine({ bench, value: median(values), unit, bar, better: 'lower' });
}

async function repeat(work: () => Promise<unknown>): Promise<readonly number[]> {
  const values: number[] = [];
  for (let time = 0; time < plainRounds; time++) values.push(Told.parse(await work()).ms);
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
