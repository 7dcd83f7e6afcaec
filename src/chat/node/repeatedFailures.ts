import { errorCode, messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';

/** Logs a failure only once until it is over, because writes are retried with each change. */
export class RepeatedFailures {
  /** Reason of the last failure, by operation and what it was about. */
  private readonly reasonByFailure = new Map<string, string>();

  constructor(private readonly log: Logger) {}

  /** `about` is the conversation, if these are the failures of several: one must not hide those of another. */
  warnOnce(failure: string, error: unknown, about = ''): void {
    const reason = errorCode(error) ?? messageOf(error);
    const key = `${failure}\0${about}`;
    if (this.reasonByFailure.get(key) === reason) return;
    this.reasonByFailure.set(key, reason);
    this.log.warn(`${failure}: ${messageOf(error)}`);
  }

  noteSuccess(failure: string, about = ''): void {
    this.reasonByFailure.delete(`${failure}\0${about}`);
  }
}
