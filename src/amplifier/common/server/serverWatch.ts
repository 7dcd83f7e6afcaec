import { withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { AmplifierApiError, isAmplifierApiError } from '../api/apiErrors';
import type { BackendState } from '../../../session/common/sessionBackend';

/** The newest that is known of the configured server. */
export type ServerNews =
  | { readonly kind: 'notAsked' }
  | { readonly kind: 'answers'; readonly version?: string }
  /** Nothing listens at its address. */
  | { readonly kind: 'unreachable' }
  /** It asks for a token that it was not given; `message` says what to do. */
  | { readonly kind: 'needsToken'; readonly message: string }
  /** Somebody answers, but not as it should; `message` says what to do. */
  | { readonly kind: 'unusable'; readonly message: string }
  /** Who uses it has lost it; `message` says what to do. */
  | { readonly kind: 'missed'; readonly message: string };

interface ServerWatchOptions {
  /** Asks the configured server whether it is well. @throws AmplifierApiError, or an Error about the settings */
  readonly askHealth: (signal: AbortSignal) => Promise<{ readonly version?: string | undefined }>;
  readonly clock: Clock;
  readonly onListenerError: (error: unknown) => void;
}

/** A server that is started together with VS Code needs a moment; after these, nobody asks until the user looks. */
const retryDelaysMs = [2000, 10_000];
/** With the keys and tokens that have to be read before. */
const answerMs = 3000;
/** As long as that an answer is taken for the newest. */
const freshMs = 5000;

/** Knows whether the configured server answers, without asking all the time: at the start, when the user looks, and by its use. */
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

  /** Forgets what is known, for there may be another server now, and asks; a few times if nobody answers. */
  start(): void {
    this.stop();
    this.round = new AbortController();
    this.tell({ kind: 'notAsked' });
    void this.tryAgain(this.round.signal, retryDelaysMs);
  }

  /** Nobody asks any more until the next start. */
  stop(): void {
    this.round.abort();
    this.asking = undefined;
    this.retry?.dispose();
    this.retry = undefined;
  }

  /** The user looks: asks, unless that was done a moment ago. Waits for nothing. */
  look(): void {
    const { askedAt } = this;
    if (askedAt === undefined || this.options.clock.monotonicNow() - askedAt >= freshMs) void this.ask();
  }

  /** Asks once, or waits for the answer that is on its way. Never rejects. */
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

  /** What somebody who uses the server has found. */
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
      const { version } = await withDeadline(clock, 'Asking the Amplifier server', answerMs, (late) =>
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
    return newsOf(new AmplifierApiError('TIMEOUT', 'The server does not answer in time'));
  if (!isAmplifierApiError(error)) return { kind: 'unusable', message: messageOf(error) };
  if (error.code === 'UNREACHABLE') return { kind: 'unreachable' };
  const { message } = error.toBackendError();
  return { kind: error.code === 'UNAUTHORIZED' ? 'needsToken' : 'unusable', message };
}
