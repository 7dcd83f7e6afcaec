import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { errorCode, messageOf } from '../../base/common/errors';
import { TakenBackError } from '../common/providers/guardedCall';
import { ProviderError } from '../common/providers/providerError';
import { PrintedLines } from './printedLines';
import { workerMessage, type WorkerMessage, type WorkerRequest, type WorkerStart } from './providerWorkerMessages';

export interface WorkerLimits {
  /** Limit for JavaScript objects, and the same for buffers. */
  readonly memoryMib: number;
  /** A call that takes longer ends the worker, since nothing else can stop an endless loop. */
  readonly callMs: number;
}

interface WorkerRunOptions {
  readonly workerFile: string;
  readonly start: WorkerStart;
  readonly limits: WorkerLimits;
  readonly clock: Clock;
  readonly onFiles: (urls: readonly string[]) => void;
  /** Called when the provider did not catch an error. */
  readonly onTrouble: (details: string) => void;
  readonly onPrint: (line: string) => void;
}

export type WorkerAnswer = Extract<WorkerMessage, { kind: 'survey' | 'capabilities' | 'items' | 'mentions' }>;

interface Question {
  readonly request: Unnumbered;
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (error: Error) => void;
}

export type Unnumbered = WithoutId<WorkerRequest>;

/** `Omit` for each member of a union. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

const mib = 1_024 * 1_024;

/** One worker from start to end. It cannot be restarted. */
export class WorkerRun implements Disposable {
  private worker: Worker | undefined;
  private ended: Error | undefined;
  private lastId = 0;
  private readonly waiting = new Set<Question>();
  private asked: { readonly id: number; readonly question: Question; readonly timer: Disposable } | undefined;

  constructor(private readonly options: WorkerRunOptions) {}

  get isOver(): boolean {
    return this.ended !== undefined;
  }

  start(): void {
    const { workerFile, start, limits } = this.options;
    const worker = new Worker(workerFile, {
      workerData: start,
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMib, maxYoungGenerationSizeMb: 16 },
      // Do not inherit flags of the extension host.
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    for (const stream of [worker.stdout, worker.stderr]) {
      const lines = new PrintedLines(this.options.clock, this.options.onPrint);
      stream.on('data', (bytes: Buffer) => lines.write(bytes));
      stream.once('end', () => lines.end());
    }
    worker.on('message', (message: unknown) => this.onMessage(message));
    worker.on('messageerror', (error) => this.end(new ProviderError(`Its answer was lost: ${error.message}`)));
    worker.on('error', (error: unknown) => this.end(new ProviderError(this.describe(error))));
    worker.on('exit', (code) => this.end(new ProviderError(`The provider ended its own process (code ${code}).`)));
    this.worker = worker;
  }

  /**
   * Runs one request at a time: each has its full time limit, and a queued request can be cancelled without affecting
   * the worker. A running request can only be ended with the worker.
   * @throws ProviderError if the provider fails or the worker ends; TakenBackError
   */
  call(request: Unnumbered, signal: AbortSignal): Promise<WorkerAnswer> {
    if (this.ended) return Promise.reject(this.ended);
    if (signal.aborted) return Promise.reject(new TakenBackError());
    return new Promise((resolve, reject) => {
      const question = { request, resolve, reject };
      this.waiting.add(question);
      const takeBack = (): void => {
        if (this.waiting.delete(question)) reject(new TakenBackError());
      };
      signal.addEventListener('abort', takeBack, { once: true });
      this.askNext();
    });
  }

  dispose(): void {
    this.end(new ProviderError('The provider was stopped.'));
  }

  private askNext(): void {
    const [question] = this.waiting;
    if (!question || this.asked) return;
    this.waiting.delete(question);
    const id = ++this.lastId;
    const { clock, limits } = this.options;
    const timer = clock.setTimer(limits.callMs, () => this.end(new ProviderError(tooSlow(limits.callMs))));
    this.asked = { id, question, timer };
    this.worker?.postMessage({ ...question.request, id } satisfies WorkerRequest);
  }

  private onMessage(value: unknown): void {
    if (this.ended) return;
    const { data: message } = workerMessage.safeParse(value);
    if (!message) {
      this.end(new ProviderError('The provider’s worker sends invalid data.'));
      return;
    }
    switch (message.kind) {
      case 'survey':
      case 'capabilities':
      case 'items':
      case 'mentions':
        this.settle(message.id)?.resolve(message);
        this.askNext();
        return;
      case 'failed':
        this.settle(message.id)?.reject(new ProviderError(message.message, undefined, message.details));
        if (message.isModule) this.end(new ProviderError(message.message));
        else this.askNext();
        return;
      case 'files':
        this.options.onFiles(message.urls);
        return;
      case 'trouble':
        this.options.onTrouble(message.details);
        return;
      case 'memory':
        if (message.bytes > this.options.limits.memoryMib * mib) this.end(new ProviderError(this.tooLarge()));
        return;
    }
  }

  /** Ends the active request and returns it, if it has this ID. */
  private settle(id: number | undefined): Question | undefined {
    const { asked } = this;
    if (!asked || asked.id !== id) return undefined;
    asked.timer.dispose();
    this.asked = undefined;
    return asked.question;
  }

  private end(error: Error): void {
    if (this.ended) return;
    this.ended = error;
    this.settle(this.asked?.id)?.reject(error);
    for (const { reject } of this.waiting) reject(error);
    this.waiting.clear();
    void this.worker?.terminate();
  }

  private describe(error: unknown): string {
    if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY') return this.tooLarge();
    return `The provider crashed: ${messageOf(error)}`;
  }

  private tooLarge(): string {
    return `The provider used more than ${this.options.limits.memoryMib} MiB of memory and was stopped.`;
  }
}

function tooSlow(ms: number): string {
  return `The provider did not answer within ${ms / 1_000} s and was stopped. It restarts with the next request.`;
}
