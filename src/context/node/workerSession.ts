import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { errorCode, messageOf } from '../../base/common/errors';
import { RequestCancelledError } from '../common/providers/callWithTimeout';
import { ProviderError } from '../common/providers/providerError';
import { OutputLineSplitter } from './outputLineSplitter';
import { workerMessage, type WorkerMessage, type WorkerRequest, type WorkerStart } from './providerWorkerMessages';

export interface WorkerLimits {
  /** Maximum memory for JavaScript objects, in MiB. The same limit applies separately to buffers. */
  readonly memoryMib: number;
  /**
   * Time limit of a call, in milliseconds. After it, the worker is ended, because nothing else can stop an endless
   * loop.
   */
  readonly callMs: number;
}

interface WorkerSessionDeps {
  readonly workerFile: string;
  readonly start: WorkerStart;
  readonly limits: WorkerLimits;
  readonly clock: Clock;
  readonly onFiles: (urls: readonly string[]) => void;
  readonly onUncaught: (details: string) => void;
  readonly onPrint: (line: string) => void;
}

export type WorkerAnswer = Extract<WorkerMessage, { kind: 'survey' | 'capabilities' | 'items' | 'mentions' }>;

interface QueuedCall {
  readonly request: WorkerRequestBody;
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (error: Error) => void;
}

export type WorkerRequestBody = WithoutId<WorkerRequest>;

/** Like `Omit`, but for each member of a union. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

const mib = 1_024 * 1_024;

/** One worker, from its start to its end. It cannot be restarted. */
export class WorkerSession implements Disposable {
  private worker: Worker | undefined;
  private endError: Error | undefined;
  private lastId = 0;
  private readonly queuedCalls = new Set<QueuedCall>();
  private activeCall: { readonly id: number; readonly question: QueuedCall; readonly timer: Disposable } | undefined;

  constructor(private readonly deps: WorkerSessionDeps) {}

  get hasEnded(): boolean {
    return this.endError !== undefined;
  }

  start(): void {
    const { workerFile, start, limits } = this.deps;
    const worker = new Worker(workerFile, {
      workerData: start,
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMib, maxYoungGenerationSizeMb: 16 },
      // The worker does not inherit flags of the extension host.
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    for (const stream of [worker.stdout, worker.stderr]) {
      const lines = new OutputLineSplitter(this.deps.clock, this.deps.onPrint);
      stream.on('data', (bytes: Buffer) => lines.write(bytes));
      stream.once('end', () => lines.end());
    }
    worker.on('message', (message: unknown) => this.handleMessage(message));
    worker.on('messageerror', (error) =>
      this.end(new ProviderError(`The provider’s answer was lost: ${error.message}`)),
    );
    worker.on('error', (error: unknown) => this.end(new ProviderError(this.describeCrash(error))));
    worker.on('exit', (code) => this.end(new ProviderError(`The provider exited (code ${code}).`)));
    this.worker = worker;
  }

  /**
   * Sends a request. One request runs at a time. Only queued requests can be cancelled. @throws ProviderError,
   * RequestCancelledError
   */
  call(request: WorkerRequestBody, signal: AbortSignal): Promise<WorkerAnswer> {
    if (this.endError) return Promise.reject(this.endError);
    if (signal.aborted) return Promise.reject(new RequestCancelledError());
    return new Promise((resolve, reject) => {
      const question = { request, resolve, reject };
      this.queuedCalls.add(question);
      const cancel = (): void => {
        if (this.queuedCalls.delete(question)) reject(new RequestCancelledError());
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.startNextCall();
    });
  }

  dispose(): void {
    this.end(new ProviderError('The provider was stopped.'));
  }

  private startNextCall(): void {
    const [question] = this.queuedCalls;
    if (!question || this.activeCall) return;
    this.queuedCalls.delete(question);
    const id = ++this.lastId;
    const { clock, limits } = this.deps;
    const timer = clock.setTimer(limits.callMs, () => this.end(new ProviderError(timeoutMessage(limits.callMs))));
    this.activeCall = { id, question, timer };
    this.worker?.postMessage({ ...question.request, id } satisfies WorkerRequest);
  }

  private handleMessage(value: unknown): void {
    if (this.endError) return;
    const { data: message } = workerMessage.safeParse(value);
    if (!message) {
      this.end(new ProviderError('The provider’s worker sent invalid data.'));
      return;
    }
    switch (message.kind) {
      case 'survey':
      case 'capabilities':
      case 'items':
      case 'mentions':
        this.finishCall(message.id)?.resolve(message);
        this.startNextCall();
        return;
      case 'failed':
        this.finishCall(message.id)?.reject(new ProviderError(message.message, undefined, message.details));
        if (message.isModule) this.end(new ProviderError(message.message));
        else this.startNextCall();
        return;
      case 'files':
        this.deps.onFiles(message.urls);
        return;
      case 'trouble':
        this.deps.onUncaught(message.details);
        return;
      case 'memory':
        if (message.bytes > this.deps.limits.memoryMib * mib) this.end(new ProviderError(this.memoryMessage()));
        return;
    }
  }

  /** If the active request has this ID, ends and returns it. */
  private finishCall(id: number | undefined): QueuedCall | undefined {
    const { activeCall } = this;
    if (!activeCall || activeCall.id !== id) return undefined;
    activeCall.timer.dispose();
    this.activeCall = undefined;
    return activeCall.question;
  }

  private end(error: Error): void {
    if (this.endError) return;
    this.endError = error;
    this.finishCall(this.activeCall?.id)?.reject(error);
    for (const { reject } of this.queuedCalls) reject(error);
    this.queuedCalls.clear();
    void this.worker?.terminate();
  }

  private describeCrash(error: unknown): string {
    if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY') return this.memoryMessage();
    return `The provider crashed: ${messageOf(error)}`;
  }

  private memoryMessage(): string {
    return `The provider used more than ${this.deps.limits.memoryMib} MiB of memory and was stopped.`;
  }
}

function timeoutMessage(ms: number): string {
  return `The provider did not answer within ${ms / 1_000} s and was stopped. It restarts with the next request.`;
}
