import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { errorCode, messageOf } from '../../base/common/errors';
import { ProviderError } from '../common/providerError';
import { workerMessage, type WorkerMessage, type WorkerRequest, type WorkerStart } from './workerMessages';

export interface WorkerLimits {
  /** MiB of JavaScript objects. */
  readonly memoryMib: number;
  /** A call that takes longer ends the worker: nothing else ends a loop. */
  readonly callMs: number;
}

export interface WorkerRunOptions {
  readonly workerFile: string;
  readonly start: WorkerStart;
  readonly limits: WorkerLimits;
  readonly clock: Clock;
  readonly onFiles: (urls: readonly string[]) => void;
  readonly onTrouble: (message: string) => void;
}

type Answer = Extract<WorkerMessage, { kind: 'capabilities' | 'items' }>;
interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: Disposable;
}

/** `Omit` of each member of a union. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/** The life of one worker: from its start to its end, after which nothing can be asked of it. */
export class WorkerRun implements Disposable {
  private worker: Worker | undefined;
  private ended: Error | undefined;
  private lastId = 0;
  private readonly pending = new Map<number, Pending>();

  constructor(private readonly options: WorkerRunOptions) {}

  get isOver(): boolean {
    return this.ended !== undefined;
  }

  get isBusy(): boolean {
    return this.pending.size > 0;
  }

  start(): void {
    const { workerFile, start, limits } = this.options;
    const worker = new Worker(workerFile, {
      workerData: start,
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMib, maxYoungGenerationSizeMb: 16 },
      // Flags of the host are not for workers; what a provider prints goes nowhere, it may hold anything.
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('message', (message: unknown) => this.onMessage(message));
    worker.on('messageerror', (error) => this.end(new ProviderError(`Its answer was lost: ${error.message}`)));
    worker.on('error', (error: unknown) => this.end(new ProviderError(this.describe(error))));
    worker.on('exit', (code) => this.end(new ProviderError(`The provider ended its own process (code ${code}).`)));
    this.worker = worker;
  }

  /** @throws ProviderError when the provider fails, or the worker ends before it has answered. */
  call(request: WithoutId<WorkerRequest>): Promise<Answer> {
    if (this.ended) return Promise.reject(this.ended);
    const id = ++this.lastId;
    const { clock, limits } = this.options;
    return new Promise((resolve, reject) => {
      const timer = clock.setTimer(limits.callMs, () => this.end(new ProviderError(tooSlow(limits.callMs))));
      this.pending.set(id, { resolve, reject, timer });
      this.worker?.postMessage({ ...request, id } satisfies WorkerRequest);
    });
  }

  dispose(): void {
    this.end(new ProviderError('The provider was let go.'));
  }

  private onMessage(value: unknown): void {
    if (this.ended) return;
    const { data: message } = workerMessage.safeParse(value);
    if (!message) {
      this.end(new ProviderError('The provider damaged its worker: what comes out of it cannot be read.'));
      return;
    }
    switch (message.kind) {
      case 'capabilities':
      case 'items':
        this.settle(message.id)?.resolve(message);
        return;
      case 'failed':
        this.settle(message.id)?.reject(new ProviderError(message.message));
        if (message.isModule) this.end(new ProviderError(message.message));
        return;
      case 'files':
        this.options.onFiles(message.urls);
        return;
      case 'trouble':
        this.options.onTrouble(message.message);
        return;
    }
  }

  private settle(id: number): Pending | undefined {
    const pending = this.pending.get(id);
    pending?.timer.dispose();
    this.pending.delete(id);
    return pending;
  }

  private end(error: Error): void {
    if (this.ended) return;
    this.ended = error;
    for (const id of [...this.pending.keys()]) this.settle(id)?.reject(error);
    void this.worker?.terminate();
  }

  private describe(error: unknown): string {
    if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY')
      return `The provider used more than ${this.options.limits.memoryMib} MiB of memory and was stopped.`;
    return `The provider crashed: ${messageOf(error)}`;
  }
}

function tooSlow(ms: number): string {
  return `The provider did not answer within ${ms / 1_000} s and was stopped. It starts again with the next question.`;
}
