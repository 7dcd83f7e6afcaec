/**
 * Runs synchronous work with a time limit, again if the machine was busy. @returns undefined on time-out @throws what the work
 * throws
 */
export type RunWithTimeLimit = <T>(work: () => T) => T | undefined;
