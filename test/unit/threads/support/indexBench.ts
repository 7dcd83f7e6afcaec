import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { threadIndexWorkerBundle } from '../../../../scripts/lib/bundles/threadIndexWorker.mjs';
import type { Clock } from '../../../../src/base/common/async';
import { nullLogger, type Logger } from '../../../../src/base/common/log';
import { HeadCache } from '../../../../src/threads/node/index/headCache';
import { scanFolders } from '../../../../src/threads/node/index/storeScan';
import { ThreadIndex } from '../../../../src/threads/node/index/threadIndex';
import { ThreadWorkerOwner } from '../../../../src/threads/node/worker/threadWorkerOwner';
import { until } from '../../../support/eventually';

/** Folders for a test: a store, an index, and the worker's program as it ships. */
export interface IndexBench {
  readonly store: string;
  readonly index: string;
  readonly workerFile: string;
  /** Writes a thread with one prompt and one answer; its path. */
  write(id: string, thread?: Partial<ThreadTexts>): string;
  remove(): void;
}

export interface ThreadTexts {
  readonly title: string;
  readonly prompt: string;
  readonly answer: string;
  readonly created: number;
}

export async function makeIndexBench(): Promise<IndexBench> {
  const root = mkdtempSync(join(tmpdir(), 'backline index '));
  await build({ ...threadIndexWorkerBundle(), absWorkingDir: process.cwd(), outdir: root, logLevel: 'warning' });
  const store = mkdtempSync(join(root, 'store-'));
  return {
    store,
    index: join(root, 'index'),
    workerFile: join(root, 'thread-index-worker.js'),
    write: (id, thread = {}) => {
      const file = join(store, `T-${id}.json`);
      writeFileSync(file, threadJson(thread));
      return file;
    },
    // A worker that was told to end may still write.
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 100, retryDelay: 50 }),
  };
}

export function threadJson({
  title = 'Title',
  prompt = 'prompt',
  answer = 'answer',
  created = 1_770_000_000_000,
}: Partial<ThreadTexts> = {}): string {
  const messages = [
    { role: 'user', messageId: 0, content: [{ type: 'text', text: prompt }] },
    {
      role: 'assistant',
      messageId: 1,
      content: [{ type: 'text', text: answer }],
      state: { type: 'complete', stopReason: 'end_turn' },
    },
  ];
  return JSON.stringify({ v: 1, created, messages, title });
}

/**
 * Until the heads on disk are those of the store, which is a moment after the list; or 30 s, when a worker was ended while
 * it wrote and has left its lock.
 */
export async function headsSaved({ store, index }: IndexBench): Promise<void> {
  const { files } = await scanFolders([store]);
  await until('the saved heads', async () => {
    const cache = new HeadCache(index, nullLogger);
    await cache.load();
    const isSaved = files.every((file) => file.sizeBytes > 50 * 1024 * 1024 || cache.isHeadCurrent(file, Date.now()));
    return isSaved && cache.findGonePaths(new Set([store]), files).length === 0;
  });
}

/** Ends its worker with itself. */
export class OwnIndex extends ThreadIndex {
  private readonly worker: ThreadWorkerOwner;
  private readonly asks: { count: number };

  constructor({ folder, ...ports }: { folder: string; workerFile: string; clock: Clock; log: Logger }) {
    const worker = new ThreadWorkerOwner(ports);
    const asks = { count: 0 };
    const use: ThreadWorkerOwner['runWithWorker'] = (work) => {
      asks.count++;
      return worker.runWithWorker(work);
    };
    super({
      folder,
      worker: {
        runWithWorker: use,
        runWithWorkerOnce: (work) => worker.runWithWorkerOnce(work),
        keepAlive: () => worker.keepAlive(),
      },
      ...ports,
    });
    this.worker = worker;
    this.asks = asks;
  }

  /** For a list or a search. */
  get hasAsked(): boolean {
    return this.asks.count > 0;
  }

  override dispose(): void {
    super.dispose();
    this.worker.dispose();
  }
}
