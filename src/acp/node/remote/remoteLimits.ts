/** Limits for a connection to a remote agent. */
export const defaultRemoteLimits = {
  /** Time limit for reaching the server. The start of the agent is not included. */
  connectTimeoutMs: 30_000,
  /**
   * Time limit for sending each piece of a request, and then for the HTTP response. The agent's answers arrive later, in a
   * stream.
   */
  answerTimeoutMs: 90_000,
  /** How long a stream that sends regular keep-alives may be silent. */
  silenceMs: 75_000,
  /** How often a WebSocket sends a ping. */
  pingMs: 30_000,
  /** How long an idle socket is kept for the next request. Servers usually close idle sockets later. */
  idleSocketMs: 2_000,
  /** Time limit for notifying the server of the end. */
  closeTimeoutMs: 1_500,
  /** Maximum size of a message in bytes, as for the lines of a process. */
  maxMessageBytes: 32 * 1024 * 1024,
  /** How long a session's stream must be quiet before a loaded session counts as complete. */
  quietMs: 300,
  /** Maximum time to wait for this quiet period. */
  maxQuietWaitMs: 10_000,
};
export type RemoteLimits = Readonly<typeof defaultRemoteLimits>;
