import { errorCode, messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';

/** Logs a failure only once until it is over, because writes are retried with each change. */
export class RepeatedFailures {
  /** Reason of the last failure, by operation. */
  private readonly reasonByFailure = new Map<string, string>();

  constructor(private readonly log: Logger) {}

  warnOnce(failure: string, error: unknown): void {
    const reason = errorCode(error) ?? messageOf(error);
    if (this.reasonByFailure.get(failure) === reason) return;
    this.reasonByFailure.set(failure, reason);
    this.log.warn(`${failure}: ${messageOf(error)}`);
  }

  noteSuccess(failure: string): void {
    this.reasonByFailure.delete(failure);
  }
}
