/** Limits that protect the editor and other clients from a faulty or hostile client. */
export interface AmpLimits {
  /** Maximum size of a message, in bytes. A larger message closes its connection with code 1009. */
  readonly maxFrameBytes: number;
  /** Interval between pings. If a client sends nothing between two pings, it is disconnected. */
  readonly heartbeatMs: number;
  /** Maximum time from the TCP connection to the finished upgrade. */
  readonly handshakeTimeoutMs: number;
  /** Maximum time from a request's arrival to its answer. The CLI stops waiting after 2,000 ms. */
  readonly requestTimeoutMs: number;
  readonly maxConcurrentRequests: number;
  /** Number of queued and running requests of one client at which its socket is paused. */
  readonly maxPendingRequests: number;
  /** Total size of these requests at which the socket is paused, in bytes. */
  readonly maxPendingBytes: number;
  /** Number of unread bytes of one client above which no work is started and nothing is sent for it. */
  readonly maxBufferedBytes: number;
  /** Number of unread bytes of all clients above which no further large answer is created. */
  readonly maxTotalBufferedBytes: number;
  /** Maximum number of clients. Further connections are refused. */
  readonly maxClients: number;
  /** Maximum number of connections that are not upgraded yet. A further one closes the oldest. */
  readonly maxHandshakes: number;
  /** If a client's unread data stays above its limit for this time, the client is disconnected. */
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
