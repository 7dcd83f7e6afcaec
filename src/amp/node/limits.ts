/** Limits that keep a broken or hostile client from exhausting memory or time of the editor and other clients. */
export interface AmpLimits {
  /** A larger message closes its connection with code 1009. */
  readonly maxFrameBytes: number;
  /** Interval between pings. A client that sends nothing in between is disconnected. */
  readonly heartbeatMs: number;
  /** From the TCP connect to the finished upgrade. */
  readonly handshakeTimeoutMs: number;
  /** From a request's arrival to its answer. The CLI stops waiting after 2,000 ms. */
  readonly requestTimeoutMs: number;
  readonly maxConcurrentRequests: number;
  /** Queued and running requests of one client at which its socket is paused. */
  readonly maxPendingRequests: number;
  /** Frame bytes of these requests at which the socket is paused. */
  readonly maxPendingBytes: number;
  /** Unread bytes of one client above which no work is started and nothing is sent for it. */
  readonly maxBufferedBytes: number;
  /** Unread bytes of all clients above which no further large answer is created. */
  readonly maxTotalBufferedBytes: number;
  /** Further connections are refused. */
  readonly maxClients: number;
  /** Connections that are not upgraded yet. A further one closes the oldest. */
  readonly maxHandshakes: number;
  /** A client whose unread data stays above its limit for this long is disconnected. */
  readonly blockedTimeoutMs: number;
  readonly closeTimeoutMs: number;
}

export const defaultAmpLimits: AmpLimits = {
  maxFrameBytes: 32 * 1024 * 1024,
  heartbeatMs: 30_000,
  handshakeTimeoutMs: 5_000,
  requestTimeoutMs: 1_800,
  maxConcurrentRequests: 16,
  maxPendingRequests: 256,
  maxPendingBytes: 8 * 1024 * 1024,
  maxBufferedBytes: 4 * 1024 * 1024,
  maxTotalBufferedBytes: 256 * 1024 * 1024,
  maxClients: 64,
  maxHandshakes: 256,
  blockedTimeoutMs: 60_000,
  closeTimeoutMs: 500,
};
