import { Worker } from 'node:worker_threads';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type * as z from 'zod';
import { ThreadError } from '../../common/threadPorts';
import { WorkerMessage } from './threadWorkerMessages';
import type { WorkerRequest } from './threadWorkerRequests';

interface Pending {
  readonly onPart: (value: unknown) => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The worker itself ended, whatever it was asked. */
export class WorkerEndedError extends ThreadError {
  /** `wasShared`: it was asked more than one thing, and any of them may have been too much. */
  constructor(
    reason: string,
    readonly wasShared: boolean,
  ) {
    super('unreadable', `The threads could not be read: ${reason}`);
  }
}

const memoryMib = 2_048;
/** Parsing makes much that lives: with the usual room for what is new, it is copied again and again. */
const newMemoryMib = 96;

/**
 * The life of one worker that reads threads: from its start to its end, after which nothing can be asked of it. It keeps
 * the process alive only while it is asked something.
 */
export class WorkerLink implements Disposable {
  private worker: Worker | undefined;
  private ended: ThreadError | undefined;
  private answers = 0;
  private lastId = 0;
  private readonly pending = new Map<number, Pending>();

  /** `workerFile` is absolute: `dist/thread-index-worker.js`. */
  constructor(
    private readonly workerFile: string,
    private readonly log: Logger,
  ) {}

  get isOver(): boolean {
    return this.ended !== undefined;
  }

  /** It works: what ends it later is what it was asked. */
  get hasAnswered(): boolean {
    return this.answers > 0;
  }

  start(): void {
    const worker = new Worker(this.workerFile, {
      resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: newMemoryMib },
      // Flags of the host are not for workers.
      execArgv: [],
    });
    worker.unref();
    worker.on('message', (message: unknown) => this.onMessage(message));
    worker.on('messageerror', (error) => this.fail(error.message));
    worker.on('error', (error: unknown) => this.fail(messageOf(error)));
    worker.on('exit', (code) => this.fail(`It ended with code ${code}.`));
    this.worker = worker;
  }

  /**
   * @throws ThreadError when the request failed, WorkerEndedError when the worker ended before it answered
   */
  async call<Answer extends z.ZodType>(
    request: WorkerRequest,
    answer: Answer,
    onPart: (value: unknown) => void = () => undefined,
  ): Promise<z.infer<Answer>> {
    if (this.ended) throw this.ended;
    const id = ++this.lastId;
    const value = await new Promise<unknown>((resolve, reject) => {
      this.pending.set(id, { onPart, resolve, reject });
      this.worker?.ref();
      this.worker?.postMessage({ id, request });
    });
    return answer.parse(value);
  }

  dispose(): void {
    this.end(new ThreadError('cancelled', 'The threads were closed.'));
  }

  private onMessage(value: unknown): void {
    if (this.ended) return;
    const message = WorkerMessage.parse(value);
    if (message.kind === 'warning') {
      this.log.warn(message.message);
      return;
    }
    this.answers++;
    const pending = this.pending.get(message.id);
    if (message.kind === 'part') {
      pending?.onPart(message.value);
      return;
    }
    this.pending.delete(message.id);
    if (this.pending.size === 0) this.worker?.unref();
    if (message.kind === 'done') pending?.resolve(message.value);
    else pending?.reject(new ThreadError(message.code ?? 'unreadable', message.message));
  }

  private fail(reason: string): void {
    this.end(new WorkerEndedError(reason, this.pending.size > 1));
  }

  private end(error: ThreadError): void {
    if (this.ended) return;
    this.ended = error;
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
    void this.worker?.terminate();
  }
}
