import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { RemoteLimits } from './remoteLimits';

type Message = Record<string, unknown>;

interface HeldAnswer {
  readonly message: Message;
  readonly sessionId: string;
  readonly heldAtMs: number;
  lastUpdateAtMs: number;
  /** When `timer` is due. */
  dueAtMs: number;
  timer: Disposable;
}

/**
 * Holds the answer to `session/load` until the session's history has arrived. Streamable HTTP sends the answer in the stream of the
 * connection and the history in the stream of the session, so that the answer can arrive first. Dispose to drop held answers.
 */
export class LoadAnswerDelay implements Disposable {
  private readonly sessionIdByRequestId = new Map<unknown, string>();
  private readonly held = new Map<unknown, HeldAnswer>();

  constructor(
    private readonly clock: Clock,
    private readonly limits: Pick<RemoteLimits, 'maxQuietWaitMs' | 'quietMs'>,
    private readonly deliver: (message: Message) => void,
  ) {}

  recordSentMessage({ id, method, params }: Message): void {
    const sessionId = sessionIdOf(params);
    if (method === 'session/load' && id !== undefined && sessionId !== undefined)
      this.sessionIdByRequestId.set(id, sessionId);
  }

  /** Passes a message on, now or later. */
  receive(message: Message): void {
    const { id, method, params } = message;
    const sessionId = typeof method === 'string' ? sessionIdOf(params) : undefined;
    for (const held of this.held.values()) {
      if (held.sessionId === sessionId) held.lastUpdateAtMs = this.clock.monotonicNow();
    }
    // The agent's own requests may have the same ids.
    const loaded = method === undefined ? this.sessionIdByRequestId.get(id) : undefined;
    if (method === undefined) this.sessionIdByRequestId.delete(id);
    if (loaded === undefined || !('result' in message)) this.deliver(message);
    else this.hold(id, loaded, message);
  }

  dispose(): void {
    for (const { timer } of this.held.values()) timer.dispose();
    this.held.clear();
  }

  private hold(id: unknown, sessionId: string, message: Message): void {
    const nowMs = this.clock.monotonicNow();
    const dueAtMs = nowMs + this.limits.quietMs;
    const timer = this.clock.setTimer(this.limits.quietMs, () => this.deliverWhenQuiet(id));
    this.held.set(id, { message, sessionId, heldAtMs: nowMs, lastUpdateAtMs: nowMs, dueAtMs, timer });
  }

  private deliverWhenQuiet(id: unknown): void {
    const held = this.held.get(id);
    if (!held) return;
    const { maxQuietWaitMs, quietMs } = this.limits;
    const nowMs = this.clock.monotonicNow();
    // A late timer shows that this process stood still. What has arrived meanwhile is read only after it.
    if (nowMs - held.dueAtMs > quietMs / 2) held.lastUpdateAtMs = nowMs;
    const leftMs = held.lastUpdateAtMs + quietMs - nowMs;
    if (leftMs > 0 && nowMs - held.heldAtMs < maxQuietWaitMs) {
      held.dueAtMs = nowMs + leftMs;
      held.timer = this.clock.setTimer(leftMs, () => this.deliverWhenQuiet(id));
      return;
    }
    this.held.delete(id);
    this.deliver(held.message);
  }
}

function sessionIdOf(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null || !('sessionId' in params)) return undefined;
  return typeof params.sessionId === 'string' ? params.sessionId : undefined;
}
