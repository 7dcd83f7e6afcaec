/** What keeps one client, broken or hostile, from costing the server or the other clients anything. */
export interface ServerLimits {
  readonly maxSessions: number;
  /** Further ones are told that there are too many, and closed. */
  readonly maxConnections: number;
  /** Of all connections, also those that are only told so; what comes above that is cut off. */
  readonly maxSockets: number;
  /** Streams, of either kind, of one session. */
  readonly maxSubscribers: number;
  /** Of a request's body, and of a message on a WebSocket. */
  readonly maxBodyBytes: number;
  /** Of the bodies of all requests that are being read. */
  readonly maxHeldBytes: number;
  /** Messages of one WebSocket that are worked on together; further ones are not read before. */
  readonly maxControlsAtOnce: number;
  /** One after another that are no messages at all; then the WebSocket is closed. */
  readonly maxBadControls: number;
  /** For the other end of a WebSocket to say that it closes, too. */
  readonly webSocketCloseMs: number;
  readonly maxUrlLength: number;
  /** For the headers of a request to arrive. */
  readonly headersTimeoutMs: number;
  /** For all of a request to arrive. */
  readonly requestTimeoutMs: number;
  /** For an agent to be ready with a session; the first start of one may download it. */
  readonly createTimeoutMs: number;
  /** For a client to answer what an agent asks; after that it is denied. */
  readonly approvalTimeoutMs: number;
  /** For an agent to take the denials of what it still asks when its session ends. */
  readonly denyTimeoutMs: number;
  /** For an agent to let go of a session, denials included; after that it is left alone. */
  readonly closeTimeoutMs: number;
  /** For subscribers to take the end of their session when the server stops. */
  readonly drainTimeoutMs: number;
  /** Between two signs of life on a stream. */
  readonly keepAliveMs: number;
  /** A subscriber that has taken nothing of what waits for it for so long is cut off. */
  readonly stallTimeoutMs: number;
  /** Events of a session that are kept for subscribers that come late or come back. */
  readonly maxKeptEvents: number;
  /** The same in UTF-16 units of their JSON. */
  readonly maxKeptLength: number;
}

export const defaultServerLimits: ServerLimits = {
  maxSessions: 100,
  maxConnections: 1000,
  maxSockets: 20_000,
  maxSubscribers: 256,
  maxBodyBytes: 16 * 1024 * 1024,
  maxHeldBytes: 128 * 1024 * 1024,
  maxControlsAtOnce: 8,
  maxBadControls: 100,
  webSocketCloseMs: 2_000,
  maxUrlLength: 4096,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  createTimeoutMs: 6 * 60_000,
  approvalTimeoutMs: 5 * 60_000,
  denyTimeoutMs: 1_000,
  closeTimeoutMs: 5_000,
  drainTimeoutMs: 500,
  keepAliveMs: 15_000,
  stallTimeoutMs: 2 * 60_000,
  maxKeptEvents: 50_000,
  maxKeptLength: 32 * 1024 * 1024,
};
