/** Limits that protect the program, its agents and its clients from faulty or malicious clients. */
export const defaultServeLimits = {
  /** Maximum number of connections with an agent. Each has a process. */
  maxConnections: 16,
  /** Maximum number of sockets. Further ones are dropped. */
  maxSockets: 512,
  /** Maximum size of a message in bytes: prompts with images, and files that the agent asks for. */
  maxMessageBytes: 32 * 1024 * 1024,
  /** Maximum number of bytes of the agent's output that wait for the client, in each of two buffers. */
  maxWaitingBytes: 64 * 1024 * 1024,
  maxUrlLength: 4096,
  headersTimeoutMs: 10_000,
  /** How long the body of a request may stop arriving. */
  requestTimeoutMs: 60_000,
  /** How long a WebSocket may be open without a first message. */
  firstMessageTimeoutMs: 30_000,
  /** How long an HTTP connection is kept without any stream or request. */
  idleMs: 60_000,
  /** How often the server sends a ping over a WebSocket. It must be answered before the next one. */
  pingMs: 30_000,
};
export type ServeLimits = Readonly<typeof defaultServeLimits>;
