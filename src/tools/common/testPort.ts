/** The tests of VS Code's Test Explorer, of all extensions. Texts may name files that agents must not see. */
export interface TestPort {
  /** Whether this version of VS Code runs tests for other extensions. */
  readonly isAvailable: boolean;
  /** Names of the providers that have found tests, for example an extension for a test runner. */
  providers(): Promise<readonly string[]>;
  /** Returns the known tests in a file, each as a path of names. Takes an absolute path. */
  testsIn(file: string): Promise<readonly (readonly string[])[]>;
  /**
   * Runs tests and returns the results in VS Code's format. VS Code may ask the user, too. Rejects with the signal's reason, or if
   * they were not run.
   */
  run(selected: SelectedTests, signal: AbortSignal): Promise<string>;
  /** The failures of the last run, also of one that the user started, in VS Code's format. Rejects like `run`. */
  lastFailures(signal: AbortSignal): Promise<string>;
}

export interface SelectedTests {
  /** Absolute paths; all files if empty. */
  readonly files: readonly string[];
  /** Parts of names; all tests if empty. */
  readonly names: readonly string[];
}
