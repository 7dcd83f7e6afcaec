/** Runs something, but not for long. @returns undefined when it took too long. @throws what it throws */
export type RunInTime = <T>(work: () => T) => T | undefined;
