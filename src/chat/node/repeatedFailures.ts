import { errorCode, messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';

/** Logs a failure only once until it is over, because writes are retried with each change. */
export class RepeatedFailures {
  /** Reason of the last failure, by operation and what it was about. */
  private readonly reasonByFailure = new Map<string, string>();

  constructor(private readonly log: Logger) {}

  /**
   * Runs an operation, and logs its failure. `about` is the conversation, if these are the failures of several: one must not
   * hide those of another. Never rejects.
   */
  async run(failure: string, operation: () => Promise<unknown>, about = ''): Promise<void> {
    const key = `${failure}\0${about}`;
    try {
      await operation();
      this.reasonByFailure.delete(key);
    } catch (error) {
      this.warnOnce(failure, error, key);
    }
  }

  private warnOnce(failure: string, error: unknown, key: string): void {
    const reason = errorCode(error) ?? messageOf(error);
    if (this.reasonByFailure.get(key) === reason) return;
    this.reasonByFailure.set(key, reason);
    this.log.warn(`${failure}: ${messageOf(error)}`);
  }
}
