import type { Clock } from '../../../base/common/async';
import { backoffMs, type Backoff } from '../../../base/common/backoff';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { MissingSecretError, ProviderError, type ConsentRequest } from './providerError';

interface Failure {
  /** The error message, with advice. */
  readonly message: string;
  /** The request that the user must allow. */
  readonly consent?: ConsentRequest;
  readonly isSecretMissing?: boolean;
  /** End of the pause, in milliseconds since the epoch. Until then, only explicit requests of the user are sent. */
  readonly pausedUntilMs: number;
}

/** Tracks the results of one kind of calls. Each consecutive failure starts a longer pause. */
export class ProviderHealth implements Disposable {
  private failureCount = 0;
  private pauseTimer: Disposable | undefined;
  private lastFailure: Failure | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly pauses: Backoff,
    /** Called when the pause has ended, or when a call has succeeded again. */
    private readonly onRecovered: () => void,
  ) {}

  get isPaused(): boolean {
    return this.pauseTimer !== undefined;
  }

  /** The failure of the last call. Undefined if it succeeded. */
  get failure(): Failure | undefined {
    return this.lastFailure;
  }

  recordSuccess(): void {
    const isBack = this.failureCount > 0;
    this.reset();
    if (isBack) this.onRecovered();
  }

  recordFailure(error: unknown, message = messageOf(error)): void {
    this.failureCount++;
    const pauseMs = backoffMs(this.pauses, this.failureCount);
    this.endPause();
    this.pauseTimer = this.clock.setTimer(pauseMs, () => {
      this.endPause();
      this.onRecovered();
    });
    const consent = error instanceof ProviderError ? error.consent : undefined;
    this.lastFailure = {
      message,
      pausedUntilMs: this.clock.now() + pauseMs,
      ...(consent ? { consent } : {}),
      ...(error instanceof MissingSecretError ? { isSecretMissing: true } : {}),
    };
  }

  reset(): void {
    this.failureCount = 0;
    this.lastFailure = undefined;
    this.endPause();
  }

  dispose(): void {
    this.endPause();
  }

  private endPause(): void {
    this.pauseTimer?.dispose();
    this.pauseTimer = undefined;
  }
}
