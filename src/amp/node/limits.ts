/** What keeps one client, broken or hostile, from taking the editor's memory or time from the user and the other clients. */
export interface AmpLimits {
  /** A larger message closes its connection with code 1009. */
  readonly maxFrameBytes: number;
  /** Between two pings; a client that says nothing in between is gone. */
  readonly heartbeatMs: number;
  /** From the TCP connect to the finished upgrade. */
  readonly handshakeTimeoutMs: number;
  /** From a request's arrival to its answer. The CLI stops waiting after 2,000 ms. */
  readonly requestTimeoutMs: number;
  /** Requests of one client that are worked on at the same time. */
  readonly maxConcurrentRequests: number;
  /** Requests of one client that are held, waiting or worked on, before its socket is no longer read. */
  readonly maxHeldRequests: number;
  /** The same in bytes of their frames. */
  readonly maxHeldBytes: number;
  /** Bytes a client has yet to read before nothing more is started or sent for it. */
  readonly maxBufferedBytes: number;
  /** Bytes that all clients have yet to read before no further large answer is made for any of them. */
  readonly maxTotalBufferedBytes: number;
  /** Connected at a time; further ones are refused. */
  readonly maxClients: number;
  /** Connections that have not been upgraded yet; a further one ends the oldest. */
  readonly maxHandshakes: number;
  /** A client that reads too little for this long is disconnected. */
  readonly blockedTimeoutMs: number;
  /** How long closing waits for the clients' own close frames. */
  readonly closeTimeoutMs: number;
}

export const defaultAmpLimits: AmpLimits = {
  maxFrameBytes: 32 * 1024 * 1024,
  heartbeatMs: 30_000,
  handshakeTimeoutMs: 5_000,
  requestTimeoutMs: 1_800,
  maxConcurrentRequests: 16,
  maxHeldRequests: 256,
  maxHeldBytes: 8 * 1024 * 1024,
  maxBufferedBytes: 4 * 1024 * 1024,
  maxTotalBufferedBytes: 256 * 1024 * 1024,
  maxClients: 64,
  maxHandshakes: 256,
  blockedTimeoutMs: 60_000,
  closeTimeoutMs: 500,
};
