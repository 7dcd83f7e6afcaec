import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { errorCode, messageOf } from '../../../base/common/errors';
import { ProviderError } from '../../common/providers/providerError';
import type { WorkerEndReason } from '../../common/workers/poolState';
import type { ProviderWorkerBatch, WorkerStart } from '../providerWorkerMessages';
import { SharedOutputSplitter } from './sharedOutputSplitter';
import { WorkerProgress } from './workerProgress';

/** Providers often split a text into lines. With less, V8 would collect garbage, and copy the lines, while a provider uses them. */
const youngGenerationMib = 48;

export interface WorkerLimits {
  /** Limit for the memory of JavaScript objects, and separately for that of buffers. */
  readonly memoryMib: number;
  /** Time limit of a call. After that, the worker is ended, because nothing else stops an endless loop. */
  readonly callMs: number;
}

export interface WorkerThreadEnd {
  readonly error: ProviderError;
  readonly reason: WorkerEndReason;
}

interface WorkerThreadDeps {
  readonly workerFile: string;
  readonly limits: WorkerLimits;
  readonly clock: Clock;
  readonly start: Pick<WorkerStart, 'isShared' | 'isGuarded' | 'folder'>;
  /** The first provider of the worker. */
  readonly provider: number;
  /** A list of messages, not validated yet. */
  readonly onMessages: (messages: unknown) => void;
  readonly onPrint: (provider: number, line: string) => void;
  /** Not called after `dispose`. */
  readonly onEnd: (end: WorkerThreadEnd) => void;
}

/** One worker from start to end. It cannot be restarted. */
export class WorkerThread implements Disposable {
  readonly progress = new WorkerProgress();
  private readonly worker: Worker;
  private readonly port: MessagePort;
  private hasEnded = false;

  constructor(private readonly deps: WorkerThreadDeps) {
    const { workerFile, limits } = deps;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const start: WorkerStart = { ...deps.start, port: port2, progress: this.progress.memory };
    const worker = new Worker(workerFile, {
      workerData: start,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMib, maxYoungGenerationSizeMb: youngGenerationMib },
      // Do not inherit flags of the extension host.
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    for (const stream of [worker.stdout, worker.stderr]) {
      const lines = new SharedOutputSplitter(deps.clock, deps.provider, deps.onPrint);
      stream.on('data', (bytes: Buffer) => lines.write(bytes));
      stream.once('end', () => lines.end());
    }
    port1.on('message', (messages: unknown) => this.handleMessages(messages));
    port1.on('messageerror', (error) =>
      this.reportEnd(new ProviderError(`Its answer was lost: ${error.message}`), 'ended'),
    );
    // The program uses its own port. Only a provider that bypasses it sends messages here.
    worker.on('message', () => this.reportEnd(new ProviderError('The provider’s worker sent invalid data.'), 'ended'));
    worker.on('error', (error: unknown) => {
      const isMemory = errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
      this.reportEnd(isMemory ? memoryError(limits) : crashError(error), isMemory ? 'memory' : 'ended');
    });
    worker.on('exit', (code) => this.handleExit(code));
    this.worker = worker;
  }

  post(batch: ProviderWorkerBatch): void {
    this.port.postMessage(batch);
  }

  /** Ends the worker, which soon frees its memory. */
  dispose(): void {
    this.hasEnded = true;
    this.port.close();
    void this.worker.terminate();
  }

  private handleMessages(messages: unknown): void {
    if (!this.hasEnded) this.deps.onMessages(messages);
  }

  private handleExit(code: number): void {
    // The worker may have answered just before it exited.
    for (let left = receiveMessageOnPort(this.port); left && !this.hasEnded; left = receiveMessageOnPort(this.port)) {
      const message: unknown = left.message;
      this.handleMessages(message);
    }
    this.reportEnd(new ProviderError(`The provider exited (code ${code}).`), 'ended');
  }

  private reportEnd(error: ProviderError, reason: WorkerEndReason): void {
    if (!this.hasEnded) this.deps.onEnd({ error, reason });
  }
}

export function memoryError({ memoryMib }: WorkerLimits): ProviderError {
  return new ProviderError(`The provider used more than ${memoryMib} MiB of memory and was stopped.`);
}

function crashError(error: unknown): ProviderError {
  return new ProviderError(`The provider crashed: ${messageOf(error)}`);
}
