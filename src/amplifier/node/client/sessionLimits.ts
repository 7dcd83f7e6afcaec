import type { EventStreamLimits } from './eventStream';

export interface SessionLimits extends EventStreamLimits {
  /** How often a turn without events is looked after by the session's status; default 20 s. */
  readonly heartbeatMs: number;
  /** How long events may still come once the status says that the turn is over; default 2 s. */
  readonly settleMs: number;
  /** How long a turn is kept open without a connection; default 60 s. */
  readonly reconnectGraceMs: number;
  /** How long a turn may take to end after it was cancelled; default 10 s. */
  readonly cancelGraceMs: number;
  /** All that is done to stop a turn, that grace included; default 20 s. */
  readonly cancelTimeoutMs: number;
  /** All that is done to end a session; default 10 s. */
  readonly closeTimeoutMs: number;
  /** How long a turn that goes on without the user is followed, and denied what it asks for; default 30 min. */
  readonly abandonedMs: number;
}

export const defaultSessionLimits = {
  heartbeatMs: 20_000,
  settleMs: 2000,
  reconnectGraceMs: 60_000,
  cancelGraceMs: 10_000,
  cancelTimeoutMs: 20_000,
  closeTimeoutMs: 10_000,
  abandonedMs: 30 * 60_000,
};
