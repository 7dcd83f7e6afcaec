/** Limits that protect the server and its clients from faulty or malicious clients. */
export const defaultServerLimits = {
  maxSessions: 100,
  /** Maximum number of connections that are served. Further ones get an error response and are closed. */
  maxConnections: 1000,
  /** Maximum number of all connections, including those that only get an error response. Further ones are dropped. */
  maxSockets: 20_000,
  maxSubscribers: 256,
  /** Maximum size of one request body or WebSocket message, in bytes. */
  maxBodyBytes: 16 * 1024 * 1024,
  maxTotalBodyBytes: 128 * 1024 * 1024,
  /** Maximum number of messages of one WebSocket that are processed concurrently. Reading pauses at this number. */
  maxConcurrentMessages: 8,
  /** Number of consecutive invalid messages after which the WebSocket is closed. */
  maxInvalidMessages: 100,
  webSocketCloseMs: 2_000,
  maxUrlLength: 4096,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  /** Time limit for creating a session. It is long, because the first start of an agent may download it. */
  createTimeoutMs: 6 * 60_000,
  /** How long a client has to answer an approval. After that, the approval is denied. */
  approvalTimeoutMs: 5 * 60_000,
  /** Time limit for denying pending approvals when a session ends. */
  denyTimeoutMs: 1_000,
  /** Time limit for closing a backend's session, including denials. */
  closeTimeoutMs: 5_000,
  /** How long subscribers have to receive the end of their session when the server stops. */
  drainTimeoutMs: 500,
  keepAliveMs: 15_000,
  /** If a subscriber does not read waiting data for this time, it is disconnected. */
  stallTimeoutMs: 2 * 60_000,
  /** Maximum number of events per session that are kept for subscribers that connect late or reconnect. */
  maxKeptEvents: 50_000,
  /** Maximum length of the JSON of a session's kept events, in UTF-16 units. */
  maxKeptLength: 32 * 1024 * 1024,
};
export type ServerLimits = Readonly<typeof defaultServerLimits>;
