/** How long things may take that wait for an agent, or for the user. */
export interface AcpLimits {
  readonly coldStartTimeoutMs: number;
  readonly initializeTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly authenticateTimeoutMs: number;
  readonly signInTimeoutMs: number;
  readonly cancelGraceMs: number;
  readonly exitGraceMs: number;
}

export const defaultLimits: AcpLimits = {
  coldStartTimeoutMs: 5 * 60_000,
  initializeTimeoutMs: 30_000,
  requestTimeoutMs: 2 * 60_000,
  authenticateTimeoutMs: 2 * 60_000,
  signInTimeoutMs: 10 * 60_000,
  cancelGraceMs: 10_000,
  exitGraceMs: 1_000,
};
