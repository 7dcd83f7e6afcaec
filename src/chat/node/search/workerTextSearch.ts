import { Worker } from 'node:worker_threads';
import * as z from 'zod/mini';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { FilePort } from '../../../base/node/filePort';
import { TextSearchAnswer, type FoundTexts, type TextSearch, type TextSearchPlace } from './textSearch';

/** How long an unused worker is kept running, with what it has in memory. */
const idleMs = 30_000;
const memoryMib = 1024;
/** A twelfth of the default, as little of what is made while reading lives long: 8 MiB less than with a third. */
const youngMemoryMib = 4;
const Message = z.union([TextSearchAnswer, z.object({ warning: z.string() })]);

interface WorkerTextSearchDeps extends TextSearchPlace {
  /** Absolute path of `dist/conversation-texts-worker.js`. */
  readonly workerFile: string;
  readonly files: Pick<FilePort, 'listNames'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Searches the texts of conversations in a worker, which runs only while it is used. */
export class WorkerTextSearch implements TextSearch {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, (found: FoundTexts | undefined) => void>();
  private updating: Promise<void> | undefined;
  private lastId = 0;
  private idleTimer: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly deps: WorkerTextSearchDeps) {}

  async update(): Promise<void> {
    this.updating ??= this.call(undefined).then(() => (this.updating = undefined));
    await this.updating;
  }

  async search(query: string): Promise<FoundTexts> {
    const found = (await this.call(query)) ?? { hits: [] };
    if (found.left) void this.update();
    return found;
  }

  async forgetDeleted(): Promise<void> {
    const { files, folder } = this.deps;
    // Where nothing was ever searched, nothing is kept.
    const names = await files.listNames(folder).catch(() => []);
    if (names.length === 0) return;
    // An update that runs has looked at the folders before.
    await this.updating;
    await this.update();
  }

  dispose(): void {
    this.isDisposed = true;
    this.end();
  }

  /** Undefined if the worker could not answer. Never rejects. */
  private async call(query: string | undefined): Promise<FoundTexts | undefined> {
    if (this.isDisposed) return undefined;
    this.idleTimer?.dispose();
    const id = ++this.lastId;
    return await new Promise((resolve) => {
      this.waiting.set(id, resolve);
      const worker = (this.worker ??= this.start());
      worker.postMessage({ id, query });
    });
  }

  private start(): Worker {
    const { folder, root, workerFile } = this.deps;
    const worker = new Worker(workerFile, {
      workerData: { folder, root },
      resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: youngMemoryMib },
      // The flags of the extension host may be invalid in workers.
      execArgv: [],
    });
    worker.unref();
    const fail = (reason: string): void => {
      if (this.worker !== worker) return;
      this.deps.log.warn(`The texts of conversations cannot be searched: ${reason}`);
      this.end();
    };
    worker.on('message', (message: unknown) => {
      // One that was sent before the worker was ended can come after that.
      if (this.worker === worker) this.onMessage(message);
    });
    worker.on('messageerror', (error) => fail(error.message));
    worker.on('error', (error: unknown) => fail(messageOf(error)));
    worker.on('exit', (code) => fail(`The worker exited with code ${code}.`));
    return worker;
  }

  private onMessage(value: unknown): void {
    const message = Message.parse(value);
    if ('warning' in message) {
      this.deps.log.warn(message.warning);
      return;
    }
    if (message.error !== undefined) this.deps.log.warn(`Searching conversations failed: ${message.error}`);
    this.waiting.get(message.id)?.(message.found);
    this.waiting.delete(message.id);
    if (this.waiting.size === 0) this.idleTimer = this.deps.clock.setTimer(idleMs, () => this.end());
  }

  private end(): void {
    const { worker } = this;
    this.worker = undefined;
    this.idleTimer?.dispose();
    for (const resolve of this.waiting.values()) resolve(undefined);
    this.waiting.clear();
    void worker?.terminate();
  }
}
