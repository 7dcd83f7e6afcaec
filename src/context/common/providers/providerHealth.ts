import type { Clock } from '../../../base/common/async';
import { backoffMs, type Backoff } from '../../../base/common/backoff';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { ProviderError, type ConsentRequest } from './providerError';

interface Failure {
  /** What went wrong and what to do. */
  readonly message: string;
  /** The permission that is missing. */
  readonly consent?: ConsentRequest;
  /** Milliseconds since the epoch. Until then, only the user's explicit requests are sent. */
  readonly pausedUntilMs: number;
}

/** Tracks the calls of one kind. Each consecutive failure starts a longer pause. */
export class ProviderHealth implements Disposable {
  private failures = 0;
  private pause: Disposable | undefined;
  private last: Failure | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly pauses: Backoff,
    /** Called when it may be asked again, or answers again. */
    private readonly onReturn: () => void,
  ) {}

  get isPaused(): boolean {
    return this.pause !== undefined;
  }

  /** The failure of the last call, if it failed. */
  get failure(): Failure | undefined {
    return this.last;
  }

  succeeded(): void {
    const isBack = this.failures > 0;
    this.reset();
    if (isBack) this.onReturn();
  }

  failed(error: unknown, message = messageOf(error)): void {
    this.failures++;
    const pauseMs = backoffMs(this.pauses, this.failures);
    this.endPause();
    this.pause = this.clock.setTimer(pauseMs, () => {
      this.endPause();
      this.onReturn();
    });
    const consent = error instanceof ProviderError ? error.consent : undefined;
    this.last = { message, pausedUntilMs: this.clock.now() + pauseMs, ...(consent ? { consent } : {}) };
  }

  reset(): void {
    this.failures = 0;
    this.last = undefined;
    this.endPause();
  }

  dispose(): void {
    this.endPause();
  }

  private endPause(): void {
    this.pause?.dispose();
    this.pause = undefined;
  }
}
