/**
 * Runs synchronous work with a time limit. It may run several times, because a busy machine can use up the time instead of the
 * work. @returns undefined on time-out @throws what the work throws
 */
export type RunWithTimeLimit = <T>(work: () => T) => T | undefined;
