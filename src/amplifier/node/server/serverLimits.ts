/** Limits that protect the server and its clients from broken or malicious clients. */
export const defaultServerLimits = {
  maxSessions: 100,
  /** Further connections get an error response and are closed. */
  maxConnections: 1000,
  /** Limit for all connections, including those that only get an error response. Further ones are dropped. */
  maxSockets: 20_000,
  maxSubscribers: 256,
  /** Limit for one request body or WebSocket message. */
  maxBodyBytes: 16 * 1024 * 1024,
  maxTotalBodyBytes: 128 * 1024 * 1024,
  /** Concurrently processed messages of one WebSocket. Reading pauses at the limit. */
  maxConcurrentMessages: 8,
  /** Consecutive invalid messages after which the WebSocket is closed. */
  maxInvalidMessages: 100,
  webSocketCloseMs: 2_000,
  maxUrlLength: 4096,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  /** Time limit for creating a session; the first start of an agent may download it. */
  createTimeoutMs: 6 * 60_000,
  /** Time for a client to answer an approval, which is denied after that. */
  approvalTimeoutMs: 5 * 60_000,
  /** Time limit for denying pending approvals when a session ends. */
  denyTimeoutMs: 1_000,
  /** Time limit for closing a backend's session, including denials. */
  closeTimeoutMs: 5_000,
  /** Time for subscribers to receive the end of their session when the server stops. */
  drainTimeoutMs: 500,
  keepAliveMs: 15_000,
  /** A subscriber that does not read waiting data for this long is disconnected. */
  stallTimeoutMs: 2 * 60_000,
  /** Events per session that are kept for late or reconnecting subscribers. */
  maxKeptEvents: 50_000,
  /** Limit for the JSON of the kept events of a session, in UTF-16 units. */
  maxKeptLength: 32 * 1024 * 1024,
};
export type ServerLimits = Readonly<typeof defaultServerLimits>;
