import { withDeadline, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import type { Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { BackendError } from '../../../session/common/sessionBackend';
import { ConnectionClosedError, RpcError, rpcErrorCode } from '../../../wire/common/connectionErrors';
import type { TrafficTap } from '../../../wire/common/traffic';
import { DraftConnection } from '../../common/draft/draftConnection';
import type { DraftParams, DraftResult, Message } from '../../common/draft/draftSchema';
import type { RunningAgent } from '../connection/agentConnection';
import { createDraftHandlers, type DraftHandlersDeps } from './draftHandlers';
import { tapStream } from '../trafficRecorder';

interface DraftAgentConnectionDeps extends Omit<DraftHandlersDeps, 'onThreadMethodCalled'> {
  readonly title: string;
  readonly clock: Clock;
  readonly tap: TrafficTap;
  readonly log: Logger;
}

type ThreadMethod = 'createThread' | 'getThreads' | 'openThread' | 'getThreadEntries';

/** The draft protocol has no handshake, so the first call includes the agent's start-up time. */
const firstCallTimeoutMs = 120_000;
const callTimeoutMs = 30_000;
/** How long to wait for a process to exit and write its stderr after it has closed its stream. */
const exitGraceMs = 1_000;

/** A connection to an agent of the draft protocol. Detects whether the agent or Backline stores the threads. */
export class DraftAgentConnection implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly connection: DraftConnection;
  private protocolVariant: 'original' | 'document' | undefined;
  private endReason: Promise<BackendError> | undefined;

  constructor(
    private readonly agent: RunningAgent,
    private readonly deps: DraftAgentConnectionDeps,
  ) {
    const { clock, log, tap, title } = deps;
    const stream = tapStream(agent.stream, { tap, peer: title, clock });
    const onThreadMethodCalled = (): void => void (this.protocolVariant ??= 'document');
    const handlers = createDraftHandlers({ ...deps, onThreadMethodCalled });
    this.connection = this.disposables.add(new DraftConnection({ stream, handlers, clock, log }));
  }

  get keepsThreads(): boolean {
    return this.protocolVariant === 'original';
  }

  /** Starts the agent. Calls `onGone` once if the agent ends unexpectedly. */
  start(onGone: (reason: BackendError) => void): void {
    const { log, title } = this.deps;
    const exited = firstEvent(this.agent.onDidExit);
    this.disposables.add(
      this.agent.stream.onNoise(({ kind, bytes }) =>
        log.warn(`${title} wrote ${bytes} bytes that are no message (${kind})`),
      ),
    );
    this.disposables.add(
      this.agent.stream.onDidClose(() => {
        this.endReason ??= this.describeEnd(exited);
        void this.endReason.then(onGone);
      }),
    );
    this.connection.start();
  }

  /** Calls a thread method. Returns undefined if the agent does not store threads. @throws BackendError */
  async callIfKeepsThreads<Method extends ThreadMethod>(
    method: Method,
    params: DraftParams<Method>,
    signal: AbortSignal | undefined,
  ): Promise<DraftResult<Method> | undefined> {
    if (this.protocolVariant === 'document') return undefined;
    const timeoutMs = this.protocolVariant === undefined ? firstCallTimeoutMs : callTimeoutMs;
    try {
      const result = await this.connection.call(method, params, { timeoutMs, ...(signal ? { signal } : {}) });
      this.protocolVariant = 'original';
      return result;
    } catch (error) {
      if (signal?.aborted) throw new BackendError('cancelled', 'Cancelled.');
      const isUnknown = error instanceof RpcError && error.code === rpcErrorCode.methodNotFound;
      if (!isUnknown || this.keepsThreads) throw await this.toBackendError(error);
      this.protocolVariant = 'document';
      return undefined;
    }
  }

  /** Sends a prompt. No time-out: an agent that stores threads answers when the turn ends. @throws BackendError */
  async sendPrompt(threadId: string, message: Message): Promise<void> {
    try {
      if (this.keepsThreads) await this.connection.call('sendMessage', { threadId, message });
      else for (const chunk of message.chunks) await this.connection.call('streamMessageChunk', { threadId, chunk });
    } catch (error) {
      throw await this.toBackendError(error);
    }
  }

  /** Resolves when the agent has exited, or to `stillRunning`. Never rejects. */
  async stop(): Promise<unknown> {
    this.dispose();
    return await this.agent.stop();
  }

  killNow(): void {
    this.dispose();
    this.agent.killNow();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async describeEnd(exited: Promise<void>): Promise<BackendError> {
    const { clock, title } = this.deps;
    await withDeadline(clock, 'exit', exitGraceMs, () => exited).catch(() => undefined);
    const message = `${title} ended unexpectedly. Start a new conversation to restart it.`;
    return new BackendError('backend', message, this.agent.stderrTail().trim() || undefined);
  }

  private async toBackendError(error: unknown): Promise<BackendError> {
    if (error instanceof ConnectionClosedError && this.endReason) return await this.endReason;
    if (!(error instanceof TimeoutError))
      return new BackendError('backend', messageOf(error), undefined, { cause: error });
    const message = `${this.deps.title} is not responding. If it does not use the draft protocol, set its dialect to v1.`;
    return new BackendError('timeout', message, this.agent.stderrTail().trim() || undefined, { cause: error });
  }
}

function firstEvent(event: Event<unknown>): Promise<void> {
  return new Promise((resolve) => event(() => resolve()));
}
