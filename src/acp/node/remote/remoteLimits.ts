/** Limits for a connection to a remote agent. */
export const defaultRemoteLimits = {
  /** Time to reach the server, without the agent's own start. */
  connectTimeoutMs: 30_000,
  /** Time for the answer to a request of the transport. The agent's answers come later, in a stream. */
  answerTimeoutMs: 90_000,
  /** How long a stream that has regular signs of life may be silent. */
  silenceMs: 75_000,
  /** How often a WebSocket asks for a sign of life. */
  pingMs: 30_000,
  /** How long a socket is kept for another request. Shorter than the usual time after which servers close them. */
  idleSocketMs: 2_000,
  /** Time to say goodbye. */
  closeTimeoutMs: 1_500,
  /** Maximum size of a message in bytes, as for the lines of a process. */
  maxMessageBytes: 32 * 1024 * 1024,
  /** How long a session's stream must be quiet before a loaded session counts as complete. */
  quietMs: 300,
  /** Maximum time to wait for that. */
  maxQuietWaitMs: 10_000,
};
export type RemoteLimits = Readonly<typeof defaultRemoteLimits>;
