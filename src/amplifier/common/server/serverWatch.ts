import { withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { AmplifierApiError, isAmplifierApiError } from '../api/apiErrors';
import type { BackendState } from '../../../session/common/sessionBackend';

/** The last known availability of the configured server. */
export type ServerNews =
  | { readonly kind: 'notAsked' }
  | { readonly kind: 'answers'; readonly version?: string }
  /** Nothing listens at its address. */
  | { readonly kind: 'unreachable' }
  /** The server requires a valid token; `message` says what to do. */
  | { readonly kind: 'needsToken'; readonly message: string }
  /** The server responds, but incorrectly; `message` says what to do. */
  | { readonly kind: 'unusable'; readonly message: string }
  /** A session in use lost its server; `message` says what to do. */
  | { readonly kind: 'missed'; readonly message: string };

interface ServerWatchOptions {
  /** Requests the health of the configured server. @throws AmplifierApiError, or an Error about the settings */
  readonly askHealth: (signal: AbortSignal) => Promise<{ readonly version?: string | undefined }>;
  readonly clock: Clock;
  readonly onListenerError: (error: unknown) => void;
}

/** Delays between checks after the start: a server that starts together with VS Code needs some time. */
const retryDelaysMs = [2000, 10_000];
/** Includes reading keys and tokens. */
const healthTimeoutMs = 3000;
/** A result is not checked again within this time. */
const freshMs = 5000;

/** Tracks the availability of the configured server without polling: at the start, on demand, and through its use. */
export class ServerWatch implements Disposable {
  private readonly emitter = new Emitter<void>((error) => this.options.onListenerError(error));
  readonly onDidChange = this.emitter.event;
  private last: ServerNews = { kind: 'notAsked' };
  private round = new AbortController();
  private asking: Promise<void> | undefined;
  private askedAt: number | undefined;
  private retry: Disposable | undefined;

  constructor(private readonly options: ServerWatchOptions) {}

  get news(): ServerNews {
    return this.last;
  }

  /** Restarts for a server that may be another one. Retries a few times if it is unavailable. */
  start(): void {
    this.stop();
    this.round = new AbortController();
    this.tell({ kind: 'notAsked' });
    void this.tryAgain(this.round.signal, retryDelaysMs);
  }

  stop(): void {
    this.round.abort();
    this.asking = undefined;
    this.retry?.dispose();
    this.retry = undefined;
  }

  /** Starts a check, unless the last one was a moment ago. Does not wait for it. */
  look(): void {
    const { askedAt } = this;
    if (askedAt === undefined || this.options.clock.monotonicNow() - askedAt >= freshMs) void this.ask();
  }

  /** Checks once, or waits for a check in progress. Never rejects. */
  ask(): Promise<void> {
    const { signal } = this.round;
    if (signal.aborted) return Promise.resolve();
    if (this.asking) return this.asking;
    this.askedAt = this.options.clock.monotonicNow();
    const asking = this.askOnce(signal).finally(() => {
      if (this.asking === asking) this.asking = undefined;
    });
    this.asking = asking;
    return asking;
  }

  /** Updates the availability from the state of a backend that uses the server. */
  heard(state: BackendState): void {
    if (state.kind === 'ready') this.answered(state.version);
    if (state.kind === 'stopped' && this.last.kind === 'missed') this.tell({ kind: 'unreachable' });
    if (state.kind === 'failed') this.tell({ kind: 'missed', message: state.message });
    if (state.kind === 'authRequired') this.tell({ kind: 'needsToken', message: state.message });
  }

  dispose(): void {
    this.stop();
    this.emitter.dispose();
  }

  private async tryAgain(signal: AbortSignal, [delayMs, ...later]: readonly number[]): Promise<void> {
    await this.ask();
    if (signal.aborted || delayMs === undefined || this.last.kind === 'answers') return;
    this.retry = this.options.clock.setTimer(delayMs, () => void this.tryAgain(signal, later));
  }

  private async askOnce(signal: AbortSignal): Promise<void> {
    const { askHealth, clock } = this.options;
    try {
      const { version } = await withDeadline(clock, 'The health check', healthTimeoutMs, (late) =>
        askHealth(AbortSignal.any([signal, late])),
      );
      if (!signal.aborted) this.answered(version);
    } catch (error) {
      if (!signal.aborted && this.last.kind !== 'missed') this.tell(newsOf(error));
    }
  }

  private answered(version: string | undefined): void {
    this.tell({ kind: 'answers', ...withoutUndefined({ version }) });
  }

  private tell(news: ServerNews): void {
    this.last = news;
    this.emitter.fire();
  }
}

function newsOf(error: unknown): ServerNews {
  if (error instanceof TimeoutError)
    return newsOf(new AmplifierApiError('TIMEOUT', 'The server did not respond in time'));
  if (!isAmplifierApiError(error)) return { kind: 'unusable', message: messageOf(error) };
  if (error.code === 'UNREACHABLE') return { kind: 'unreachable' };
  const { message } = error.toBackendError();
  return { kind: error.code === 'UNAUTHORIZED' ? 'needsToken' : 'unusable', message };
}
