// A thread of 47 MB on its way to the first screen, and one of 19 MB that is rewritten ten times a second. Run by
// `npm run bench -- threadsOpen`.
import * as path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { nullLogger } from '../src/base/common/log';
import { systemClock } from '../src/base/node/systemClock';
import { FollowedThread } from '../src/threads/common/page/followedThread';
import type { ThreadUpdate } from '../src/threads/common/page/threadApi';
import { ThreadFeed } from '../src/threads/common/page/threadFeed';
import { createAmpThreads, type AmpThreads } from '../src/threads/node/ampThreads';
import { median, printBenchLine } from './lib/benchLine';
import { tellParent } from './lib/child';
import { longestBlock } from './support/blocks';
import { rewriteOften } from './support/rewriter';
import { runRole } from './support/roleRun';
import { Spent } from './support/spent';
import { makeLargeThread } from './support/threadStore';
import { buildThreadWorker } from './support/threadWorker';

const rounds = 3;
const largeBytes = 47_000_000;
const followedBytes = 19_000_000;
const rewritesPerSecond = 10;
const followedSeconds = 30;
const settleMs = 3_000;
const Watched = z.object({ blockMs: z.number() });
const Opened = z.object({ firstScreenMs: z.number() });
const Followed = z.object({ share: z.number(), readings: z.number() });

async function main(): Promise<void> {
  const worker = await buildThreadWorker();
  try {
    await benchOpen(worker.file);
    await benchFollow(worker.file);
  } finally {
    worker.remove();
  }
}

async function benchOpen(workerFile: string): Promise<void> {
  const { files, remove } = makeLargeThread(largeBytes);
  const blocks: number[] = [];
  const screens: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      screens.push(Opened.parse(await runRole('open', workerFile, ...files)).firstScreenMs);
      // By itself: who watches the host's thread keeps a core busy.
      blocks.push(Watched.parse(await runRole('watched', workerFile, ...files)).blockMs);
    }
  } finally {
    remove();
  }
  printBenchLine({
    bench: 'threads.open47MB.block',
    value: median(blocks),
    unit: 'ms of the longest host block',
    bar: 50,
    better: 'lower',
  });
  printBenchLine({
    bench: 'threads.open47MB.screen',
    value: median(screens),
    unit: 'ms of its threads to the first screen',
    bar: 600,
    better: 'lower',
  });
}

async function benchFollow(workerFile: string): Promise<void> {
  const { files, remove } = makeLargeThread(followedBytes);
  try {
    const { share, readings } = Followed.parse(await runRole('follow', workerFile, ...files));
    if (readings < 2) throw new Error('The thread was not followed.');
    printBenchLine({ bench: 'threads.follow', value: share, unit: 'of a core', bar: 0.08, better: 'lower' });
  } finally {
    remove();
  }
}

/** From the wish to look at it until a page would be told of its end. */
async function openOnce(workerFile: string, file: string): Promise<void> {
  await withThreads(workerFile, file, async (threads, threadId) => {
    const spent = new Spent();
    const { promise, resolve } = Promise.withResolvers<ThreadUpdate>();
    const whole = openThread(threads, threadId, resolve);
    const { transcript } = await promise;
    const firstScreenMs = await spent.ms();
    if (!transcript?.put || transcript.put.length < 20) throw new Error('There was nothing on the first screen.');
    await whole;
    tellParent({ firstScreenMs });
  });
}

/** Until all of it is there. */
async function openWatched(workerFile: string, file: string): Promise<void> {
  await withThreads(workerFile, file, async (threads, threadId) => {
    const blockMs = await longestBlock(async () => {
      await openThread(threads, threadId, () => undefined);
    });
    tellParent({ blockMs });
  });
}

/** As the tab of a thread does it. */
async function openThread(
  { library }: AmpThreads,
  threadId: string,
  post: (update: ThreadUpdate) => void,
): Promise<FollowedThread> {
  const followed = new FollowedThread(threadId, library, systemClock, fail);
  const feed = new ThreadFeed({ followed, actionsFor: () => [], hasFile: () => true, post, clock: systemClock });
  feed.start();
  feed.connectPage();
  await followed.start();
  if ((followed.thread?.entries.length ?? 0) < 1_000) throw new Error(followed.problem ?? 'The thread was not read.');
  return followed;
}

/** The sources as the extension has them, with the file as the only thread. The list of threads is there when the work begins. */
async function withThreads(
  workerFile: string,
  file: string,
  work: (threads: AmpThreads, threadId: string) => Promise<void>,
): Promise<void> {
  const folder = path.dirname(file);
  const threads = createAmpThreads({
    paths: { threadFolder: folder, dataFolders: [folder], lastThreadFile: path.join(folder, 'none') },
    moreFolders: () => [],
    findCommand: () => Promise.resolve(undefined),
    indexFolder: path.join(folder, 'index'),
    workerFile,
    clock: systemClock,
    log: nullLogger,
  });
  // Neither timers nor idle workers keep a process alive.
  const alive = setInterval(() => undefined, 1_000);
  try {
    await threads.library.waitForFirstList();
    // What is indexed behind the list is none of it.
    await setTimeout(settleMs);
    await work(threads, path.basename(file, '.json'));
  } finally {
    clearInterval(alive);
    threads.library.dispose();
  }
}

/** The share of all threads of the process that reads, lists and indexes it, after the first time. */
async function follow(workerFile: string, file: string): Promise<void> {
  await withThreads(workerFile, file, async (threads, threadId) => {
    const looking = threads.library.keepUpToDate();
    const followed = await openThread(threads, threadId, () => undefined);
    let readings = 0;
    followed.onDidChange(() => readings++);
    const before = process.cpuUsage();
    const startedAt = performance.now();
    await runRole('rewrite', file);
    const { user, system } = process.cpuUsage(before);
    tellParent({ share: (user + system) / 1_000 / (performance.now() - startedAt), readings });
    followed.dispose();
    looking.dispose();
  });
}

function fail(error: unknown): void {
  throw error;
}

const [role = '', first = '', second = ''] = process.argv.slice(2);
const roles: Readonly<Record<string, () => Promise<void>>> = {
  open: () => openOnce(first, second),
  watched: () => openWatched(first, second),
  follow: () => follow(first, second),
  rewrite: () => rewriteOften(first, rewritesPerSecond, followedSeconds),
};
(roles[role] ?? main)().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
