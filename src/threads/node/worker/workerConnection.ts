import { Worker } from 'node:worker_threads';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type * as z from 'zod';
import { ThreadError } from '../../common/threadPorts';
import { ThreadWorkerMessage } from './threadWorkerMessages';
import type { ThreadWorkerRequest } from './threadWorkerRequests';

interface PendingCall {
  readonly onPart: (value: unknown) => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The worker ended before it answered a request. */
export class WorkerEndedError extends ThreadError {
  /** `wasShared`: several requests were pending, and any of them may have caused the end. */
  constructor(
    reason: string,
    readonly wasShared: boolean,
  ) {
    super('unreadable', `Could not read the threads: ${reason}`);
  }
}

const memoryMib = 2_048;
/**
 * Size of the memory for new objects, in MiB. Larger than the default, because parsing allocates many long-lived
 * objects, which would otherwise be copied repeatedly.
 */
const youngMemoryMib = 96;

/** Sends requests to one worker, from its start to its end. Keeps the process alive only while requests are pending. */
export class WorkerConnection implements Disposable {
  private worker: Worker | undefined;
  private endError: ThreadError | undefined;
  private answerCount = 0;
  private lastId = 0;
  private readonly pendingCalls = new Map<number, PendingCall>();

  /** `workerFile` is the absolute path of `dist/thread-index-worker.js`. */
  constructor(
    private readonly workerFile: string,
    private readonly log: Logger,
  ) {}

  get hasEnded(): boolean {
    return this.endError !== undefined;
  }

  /** Whether the worker has answered any request. If it ends after that, a request was the cause. */
  get hasAnswered(): boolean {
    return this.answerCount > 0;
  }

  start(): void {
    const worker = new Worker(this.workerFile, {
      resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: youngMemoryMib },
      // The flags of the extension host may be invalid in workers.
      execArgv: [],
    });
    worker.unref();
    worker.on('message', (message: unknown) => this.onMessage(message));
    worker.on('messageerror', (error) => this.fail(error.message));
    worker.on('error', (error: unknown) => this.fail(messageOf(error)));
    worker.on('exit', (code) => this.fail(`The worker exited with code ${code}.`));
    this.worker = worker;
  }

  /** Sends a request. @throws ThreadError if it failed; WorkerEndedError if the worker ended before its answer */
  async sendRequest<Answer extends z.ZodType>(
    request: ThreadWorkerRequest,
    answerSchema: Answer,
    onPart: (value: unknown) => void = () => undefined,
  ): Promise<z.infer<Answer>> {
    if (this.endError) throw this.endError;
    const id = ++this.lastId;
    const value = await new Promise<unknown>((resolve, reject) => {
      this.pendingCalls.set(id, { onPart, resolve, reject });
      this.worker?.ref();
      this.worker?.postMessage({ id, request });
    });
    return answerSchema.parse(value);
  }

  dispose(): void {
    this.end(new ThreadError('cancelled', 'The threads were closed.'));
  }

  private onMessage(value: unknown): void {
    if (this.endError) return;
    const message = ThreadWorkerMessage.parse(value);
    if (message.kind === 'warning') {
      this.log.warn(message.message);
      return;
    }
    this.answerCount++;
    const pending = this.pendingCalls.get(message.id);
    if (message.kind === 'part') {
      pending?.onPart(message.value);
      return;
    }
    this.pendingCalls.delete(message.id);
    if (this.pendingCalls.size === 0) this.worker?.unref();
    if (message.kind === 'done') pending?.resolve(message.value);
    else pending?.reject(new ThreadError(message.code ?? 'unreadable', message.message));
  }

  private fail(reason: string): void {
    this.end(new WorkerEndedError(reason, this.pendingCalls.size > 1));
  }

  private end(error: ThreadError): void {
    if (this.endError) return;
    this.endError = error;
    for (const { reject } of this.pendingCalls.values()) reject(error);
    this.pendingCalls.clear();
    void this.worker?.terminate();
  }
}
