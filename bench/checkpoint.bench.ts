// A checkpoint of 50,000 files of 500 MB, beside `git status` of the same tree. Run by `npm run bench -- checkpoint`.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../src/base/common/log';
import { openCheckpointStore, type CheckpointStore } from '../src/changes/node/checkpointStore';
import { median, printBenchLine } from './lib/benchLine';

const files = 50_000;
const filesInFolder = 25;
const fileBytes = 10_000;
const rounds = 9;
const firstRounds = 3;

async function main(): Promise<void> {
  const root = mkdtempSync(path.join(tmpdir(), 'backline-checkpoint-'));
  try {
    const folder = path.join(root, 'workspace');
    makeTree(folder);
    await measure(root, folder);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** In turns, so that both meet the same machine. */
async function measure(root: string, folder: string): Promise<void> {
  const status = (): number => timed(() => void git(folder, '--no-optional-locks', 'status', '--porcelain'));
  // The first one brings the files' times into memory, and Git's index up to date.
  git(folder, 'status', '--porcelain');
  const [firsts, firstPeers, next, peers]: number[][] = [[], [], [], []];
  for (let round = 0; round < firstRounds; round++) {
    firstPeers?.push(status());
    const store = await open(folder, path.join(root, `storage-${round}`));
    firsts?.push(await takeMs(store));
    await store.stop();
  }
  const store = await open(folder, path.join(root, 'storage'));
  await takeMs(store);
  for (let round = 0; round < rounds; round++) {
    peers?.push(status());
    next?.push(await takeMs(store));
  }
  await store.stop();
  print('changes.checkpoint', 1.5, next, peers);
  print('changes.checkpointFirst', 3, firsts, firstPeers);
}

function print(bench: string, bar: number, values: readonly number[] = [], peers: readonly number[] = []): void {
  const peer = { name: 'git status', value: median(peers) };
  printBenchLine({ bench, value: median(values), unit: 'ms', peer, bar, better: 'lower' });
}

async function open(folder: string, storage: string): Promise<CheckpointStore> {
  const opened = await openCheckpointStore({ folder, storage, excludes: () => false, logger: nullLogger });
  if (opened.kind !== 'open') throw new Error(opened.message);
  return opened.store;
}

async function takeMs(store: CheckpointStore): Promise<number> {
  const startMs = performance.now();
  const result = await store.take('a prompt');
  if (result.kind === 'refused') throw result.error;
  return performance.now() - startMs;
}

function timed(work: () => void): number {
  const startMs = performance.now();
  work();
  return performance.now() - startMs;
}

function makeTree(folder: string): void {
  const text = randomBytes(fileBytes).toString('base64');
  for (let number = 0; number < files / filesInFolder; number++) {
    const place = path.join(folder, `part${number % 40}`, `folder${number}`);
    mkdirSync(place, { recursive: true });
    for (let file = 0; file < filesInFolder; file++) {
      writeFileSync(path.join(place, `file${file}.txt`), `${number}-${file}\n${text}`.slice(0, fileBytes));
    }
  }
  git(folder, 'init', '-q');
  git(folder, '-c', 'core.fsync=none', 'add', '-A');
  git(folder, '-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '-q', '-m', 'first');
}

function git(folder: string, ...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
