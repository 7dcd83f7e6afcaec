/** What keeps one client, broken or hostile, from costing the server or the other clients anything. */
export const defaultServerLimits = {
  maxSessions: 100,
  /** Further ones are told that there are too many, and closed. */
  maxConnections: 1000,
  /** Of all connections, also those that are only told so; what comes above that is cut off. */
  maxSockets: 20_000,
  /** Streams, of either kind, of one session. */
  maxSubscribers: 256,
  /** Of a request's body, and of a message on a WebSocket. */
  maxBodyBytes: 16 * 1024 * 1024,
  /** Of the bodies of all requests that are being read. */
  maxHeldBytes: 128 * 1024 * 1024,
  /** Messages of one WebSocket that are worked on together; further ones are not read before. */
  maxControlsAtOnce: 8,
  /** One after another that are no messages at all; then the WebSocket is closed. */
  maxBadControls: 100,
  /** For the other end of a WebSocket to say that it closes, too. */
  webSocketCloseMs: 2_000,
  maxUrlLength: 4096,
  /** For the headers of a request to arrive. */
  headersTimeoutMs: 10_000,
  /** For all of a request to arrive. */
  requestTimeoutMs: 60_000,
  /** For an agent to be ready with a session; the first start of one may download it. */
  createTimeoutMs: 6 * 60_000,
  /** For a client to answer what an agent asks; after that it is denied. */
  approvalTimeoutMs: 5 * 60_000,
  /** For an agent to take the denials of what it still asks when its session ends. */
  denyTimeoutMs: 1_000,
  /** For an agent to let go of a session, denials included; after that it is left alone. */
  closeTimeoutMs: 5_000,
  /** For subscribers to take the end of their session when the server stops. */
  drainTimeoutMs: 500,
  /** Between two signs of life on a stream. */
  keepAliveMs: 15_000,
  /** A subscriber that has taken nothing of what waits for it for so long is cut off. */
  stallTimeoutMs: 2 * 60_000,
  /** Events of a session that are kept for subscribers that come late or come back. */
  maxKeptEvents: 50_000,
  /** The same in UTF-16 units of their JSON. */
  maxKeptLength: 32 * 1024 * 1024,
};
export type ServerLimits = Readonly<typeof defaultServerLimits>;
