/** How the connection to an agent has ended. */
interface ConnectionEnd {
  /** Set for a process. */
  readonly exit?: { readonly code: number | null; readonly signal: string | null } | undefined;
  /** Set for a connection to a URL. Its message is a sentence for the user. */
  readonly error?: Error | undefined;
}

/** Messages to the user about the start and end of an agent. */
export interface ConnectionTexts {
  readonly starting: (title: string, mayDownload: boolean) => string;
  /** For the second attempt, after the agent failed when version 2 was offered. */
  readonly startingWithVersion1: (title: string) => string;
  readonly restarting: (title: string) => string;
  readonly ended: (title: string, end: ConnectionEnd) => string;
  readonly givenUp: (title: string) => string;
}

/** For agents that Backline starts. */
export const processConnectionTexts: ConnectionTexts = {
  starting: (title, mayDownload) =>
    `Starting ${title}…${mayDownload ? ' The first start may take a few minutes because of a download.' : ''}`,
  startingWithVersion1: (title) => `Starting ${title} again, with version 1 of its protocol…`,
  restarting: (title) => `${title} ended unexpectedly. Restarting…`,
  ended: (title, { exit }) => {
    const how = exit ? `(${exit.signal ?? `exit code ${exit.code ?? 'unknown'}`})` : '(it closed the connection)';
    return `${title} ended unexpectedly ${how}.`;
  },
  givenUp: (title) =>
    `${title} has ended unexpectedly several times and is no longer restarted automatically. Check its log, then restart it.`,
};

/** For agents that Backline connects to. */
export const remoteConnectionTexts: ConnectionTexts = {
  starting: (title) => `Connecting to ${title}…`,
  startingWithVersion1: (title) => `Connecting to ${title} again, with version 1 of its protocol…`,
  restarting: (title) => `The connection to ${title} was lost. Connecting again…`,
  ended: (title, { error }) =>
    error ? `${title} is unavailable. ${error.message}` : `The connection to ${title} was closed.`,
  givenUp: (title) => `The connection to ${title} was lost several times. Check its log, then restart it.`,
};
