import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { RequestCancelledError } from '../../common/providers/callWithTimeout';
import { ProviderError } from '../../common/providers/providerError';
import { reducePool } from '../../common/workers/poolReducer';
import { emptyPool, type OwnWorkerReason, type PoolEffect, type PoolEvent } from '../../common/workers/poolState';
import {
  workerMessages,
  type ModuleLocation,
  type ProviderWorkerAnswer,
  type ProviderWorkerMessage,
  type ProviderWorkerRequest,
  type ProviderWorkerRequestBody,
} from '../providerWorkerMessages';
import { BlockedWorkerMonitor } from './blockedWorkerMonitor';
import { memoryError, WorkerThread, type WorkerThreadEnd, type WorkerLimits } from './workerThread';

/** A worker that is idle for this long is stopped. The next request starts another. */
const idleMs = 5 * 60_000;
const mib = 1_024 * 1_024;

/** The worker ended before the answer, and the provider may not be the cause. The caller repeats the question. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';

  constructor() {
    super('The provider was interrupted, and is asked again.');
  }
}

interface PoolDeps {
  /** Absolute path of the bundle of `contextWorkerMain.ts`. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly limits: WorkerLimits;
}

/** A provider in the pool, with callbacks for what the pool reports about it. */
interface PoolMember {
  readonly onFiles: (urls: readonly string[]) => void;
  readonly onUncaught: (details: string) => void;
  readonly onPrint: (line: string) => void;
}

export interface PoolQuestionBody {
  readonly module: ModuleLocation;
  /** Whether the provider needs a worker that only loads surveyed files. */
  readonly isGuarded: boolean;
  readonly isOwnWorkerRequired: boolean;
  /** If set, the question is only sent to this worker. */
  readonly worker: number | undefined;
  readonly request: ProviderWorkerRequestBody;
}

interface OpenCall {
  readonly provider: number;
  readonly body: PoolQuestionBody;
  readonly resolve: (answer: ProviderWorkerAnswer) => void;
  readonly reject: (error: Error) => void;
}

interface RunningThread {
  readonly thread: WorkerThread;
  readonly watch: BlockedWorkerMonitor;
  readonly loaded: Set<number>;
  /** Requests that wait for the message that ends the batch. Undefined if no batch has begun. */
  outbox: ProviderWorkerRequest[] | undefined;
  idleTimer: Disposable | undefined;
}

/** Runs JavaScript providers in few workers. Performs the effects of `reducePool`, which assigns the workers. */
export class WorkerPool {
  private state = emptyPool;
  private lastProviderNumber = 0;
  private lastQuestionNumber = 0;
  private readonly providers = new Map<number, PoolMember>();
  private readonly threads = new Map<number, RunningThread>();
  private readonly openCallByQuestion = new Map<number, OpenCall>();

  constructor(private readonly deps: PoolDeps) {}

  /** Adds a provider. The caller removes it. @returns its number */
  add(member: PoolMember): number {
    this.providers.set(++this.lastProviderNumber, member);
    return this.lastProviderNumber;
  }

  /** Removes a provider. Ends its worker, as `unload` does. */
  remove(provider: number): void {
    this.unload(provider);
    this.providers.delete(provider);
  }

  /** Returns the worker that has loaded the code of a provider or will load it. */
  workerOf(provider: number): number | undefined {
    const isOwn = this.state.ownWorkerReasons.has(provider);
    for (const [worker, { owner, members }] of this.state.workers)
      if (members.has(provider) && (owner === provider) === isOwn) return worker;
    return undefined;
  }

  /** Returns why a provider has its own worker. Undefined if it shares one. */
  ownWorkerReason(provider: number): OwnWorkerReason | undefined {
    return this.state.ownWorkerReasons.get(provider);
  }

  /**
   * Asks a provider, after its earlier questions. Only a question that waits for earlier ones can be cancelled.
   * @throws ProviderError, RequestCancelledError, or InterruptedError if it should be asked again
   */
  ask(provider: number, body: PoolQuestionBody, signal: AbortSignal): Promise<ProviderWorkerAnswer> {
    if (signal.aborted) return Promise.reject(new RequestCancelledError());
    if (body.worker !== undefined && body.worker !== this.workerOf(provider))
      return Promise.reject(new InterruptedError());
    const { promise, resolve, reject } = Promise.withResolvers<ProviderWorkerAnswer>();
    const question = ++this.lastQuestionNumber;
    this.openCallByQuestion.set(question, { provider, body, resolve, reject });
    const { isOwnWorkerRequired } = body;
    this.dispatch({ kind: 'asked', question, provider, isOwnWorkerRequired });
    if (this.state.questions.get(question)?.worker === undefined)
      signal.addEventListener('abort', () => this.cancel(question), { once: true });
    return promise;
  }

  /** Ends the worker with the provider's code, which also interrupts other providers there. Its questions fail. */
  unload(provider: number): void {
    this.dispatch({ kind: 'unloaded', provider });
  }

  private cancel(question: number): void {
    const call = this.openCallByQuestion.get(question);
    this.dispatch({ kind: 'cancelled', question });
    if (!call || this.state.questions.has(question)) return;
    this.openCallByQuestion.delete(question);
    call.reject(new RequestCancelledError());
  }

  /** Handles an event. Questions that fail because of it fail with `error`. */
  private dispatch(event: PoolEvent, error?: ProviderError): void {
    const { state, effects } = reducePool(this.state, event);
    this.state = state;
    for (const effect of effects) this.perform(effect, error);
  }

  private perform(effect: PoolEffect, error: ProviderError | undefined): void {
    switch (effect.kind) {
      case 'start':
        this.startThread(effect.worker, effect.question, effect.isShared);
        return;
      case 'send':
        this.send(effect.worker, effect.question);
        return;
      case 'end':
        this.stopThread(effect.worker);
        return;
      case 'fail':
        this.takeOpenCall(effect.question)?.reject(error ?? new ProviderError('The provider was stopped.'));
        return;
      case 'askAgain':
        this.takeOpenCall(effect.question)?.reject(new InterruptedError());
        return;
    }
  }

  private startThread(worker: number, question: number, isShared: boolean): void {
    const call = this.openCallByQuestion.get(question);
    if (!call) return;
    const { body, provider } = call;
    const { clock } = this.deps;
    const thread = new WorkerThread({
      ...this.deps,
      start: { isShared, isGuarded: body.isGuarded, folder: body.module.folder },
      provider,
      onMessages: (messages) => this.handleMessages(worker, messages),
      onPrint: (printer, line) => this.providers.get(printer)?.onPrint(line),
      onEnd: (end) => this.handleEnd(worker, end),
    });
    const watch = new BlockedWorkerMonitor({
      clock,
      progress: thread.progress,
      areSeveralAsked: () => this.areSeveralAsked(worker),
      onBlocked: () => this.dispatch({ kind: 'ended', worker, reason: 'blocked' }),
    });
    this.threads.set(worker, { thread, watch, loaded: new Set(), outbox: undefined, idleTimer: undefined });
  }

  private stopThread(worker: number): void {
    const running = this.threads.get(worker);
    if (!running) return;
    this.threads.delete(worker);
    running.idleTimer?.dispose();
    running.watch.dispose();
    running.thread.dispose();
  }

  /**
   * Sends the first question at once, so that the worker wakes up and reads the text meanwhile. Combines the others that are
   * sent at the same time into one message, because each message is expensive.
   */
  private send(worker: number, question: number): void {
    const running = this.threads.get(worker);
    const call = this.openCallByQuestion.get(question);
    if (!running || !call) return;
    const { provider, body } = call;
    const isNew = !running.loaded.has(provider);
    running.loaded.add(provider);
    const request = { id: question, provider, ...(isNew ? { module: body.module } : {}), body: body.request };
    if (running.outbox) {
      running.outbox.push(request);
      return;
    }
    running.outbox = [];
    queueMicrotask(() => this.flush(worker, running, question));
    running.thread.post({ requests: [request], isContinued: true });
  }

  private flush(worker: number, runningThread: RunningThread, firstQuestion: number): void {
    const requests = runningThread.outbox ?? [];
    runningThread.outbox = undefined;
    if (this.threads.get(worker) !== runningThread) return;
    runningThread.watch.start();
    this.limitTime([firstQuestion, ...requests.map(({ id }) => id)]);
    runningThread.idleTimer?.dispose();
    runningThread.idleTimer = this.deps.clock.setTimer(idleMs, () => this.dispatch({ kind: 'idle', worker }));
    runningThread.thread.post({ requests, isContinued: false });
  }

  private limitTime(questions: readonly number[]): void {
    const { clock, limits } = this.deps;
    const open = new Set(questions);
    const timer = clock.setTimer(limits.callMs, () => open.forEach((question) => this.handleTimeout(question)));
    for (const question of questions) this.timeLimits.set(question, { open, timer });
  }

  private readonly timeLimits = new Map<number, { readonly open: Set<number>; readonly timer: Disposable }>();

  private handleTimeout(question: number): void {
    const worker = this.state.questions.get(question)?.worker;
    if (worker === undefined) return;
    const error = new ProviderError(timeoutMessage(this.deps.limits.callMs));
    this.dispatch({ kind: 'ended', worker, reason: 'hung', question }, error);
  }

  private handleMessages(worker: number, value: unknown): void {
    const { data: messages } = workerMessages.safeParse(value);
    if (!messages) {
      const error = new ProviderError('The provider’s worker sent invalid data.');
      this.dispatch({ kind: 'ended', worker, reason: 'ended' }, error);
      return;
    }
    const answered: number[] = [];
    const finish = (): void => this.dispatch({ kind: 'answered', questions: answered.splice(0) });
    for (const message of messages) {
      // An earlier message may have ended the worker.
      if (!this.threads.has(worker)) return;
      if ('id' in message) this.handleAnswer(worker, message, answered);
      else {
        if (answered.length > 0) finish();
        this.handleReport(worker, message);
      }
    }
    if (answered.length > 0) finish();
  }

  private handleAnswer(
    worker: number,
    message: Extract<ProviderWorkerMessage, { id: number }>,
    answered: number[],
  ): void {
    const { id } = message;
    if (this.state.questions.get(id)?.worker !== worker) return;
    if (message.kind !== 'failed') {
      answered.push(id);
      this.takeOpenCall(id)?.resolve(message);
      return;
    }
    const error = new ProviderError(message.message, undefined, message.details);
    this.takeOpenCall(id)?.reject(error);
    if (message.isModule) this.dispatch({ kind: 'moduleFailed', question: id }, error);
    else answered.push(id);
  }

  private handleReport(worker: number, message: Exclude<ProviderWorkerMessage, { id: number }>): void {
    const { limits } = this.deps;
    switch (message.kind) {
      case 'files':
        this.providers.get(message.provider)?.onFiles(message.urls);
        return;
      case 'trouble':
        for (const provider of message.provider === undefined
          ? (this.state.workers.get(worker)?.members ?? [])
          : [message.provider])
          this.providers.get(provider)?.onUncaught(message.details);
        return;
      case 'memory':
        if (message.bytes > limits.memoryMib * mib)
          this.dispatch({ kind: 'ended', worker, reason: 'memory' }, memoryError(limits));
        return;
    }
  }

  private handleEnd(worker: number, { error, reason }: WorkerThreadEnd): void {
    this.dispatch({ kind: 'ended', worker, reason }, error);
  }

  /** Whether several providers are asked: each is asked one question at a time. Undefined if none is asked. */
  private areSeveralAsked(worker: number): boolean | undefined {
    const asked = [...this.state.questions.values()].filter((question) => question.worker === worker);
    return asked.length === 0 ? undefined : asked.length > 1;
  }

  private takeOpenCall(question: number): OpenCall | undefined {
    const call = this.openCallByQuestion.get(question);
    this.openCallByQuestion.delete(question);
    const limit = this.timeLimits.get(question);
    this.timeLimits.delete(question);
    limit?.open.delete(question);
    if (limit?.open.size === 0) limit.timer.dispose();
    return call;
  }
}

function timeoutMessage(ms: number): string {
  return `The provider did not answer within ${ms / 1_000} s and was stopped. It restarts with the next request.`;
}
