export interface TerminalEnvironmentOptions {
  readonly inheritedEnv: Readonly<Record<string, string | undefined>>;
  /** The folder of `amp`, if it is not in the inherited PATH. */
  readonly extraPathFolder?: string;
  /** The separator of PATH entries: `:` or `;`. */
  readonly pathDelimiter: string;
  /** Path of a folder that never exists. */
  readonly missingFolder: string;
}

/** Returns the environment in which the Amp CLI finds this window's server and no other. */
export function terminalEnvironment(options: TerminalEnvironmentOptions): Record<string, string> {
  const { inheritedEnv, extraPathFolder, pathDelimiter, missingFolder } = options;
  const noProxy = withLoopback([inheritedEnv['NO_PROXY'], inheritedEnv['no_proxy']]);
  return {
    // The CLI uses the proxy even for loopback connections unless they are excluded. It reads both spellings of this
    // variable.
    NO_PROXY: noProxy,
    no_proxy: noProxy,
    // The CLI also offers the editors whose state files it finds, and connects automatically only if there is a single
    // candidate. With a missing folder it finds no other editor, so Backline's server is the only candidate.
    VSCODE_USER_DATA_DIR: missingFolder,
    VSCODE_INSIDERS_USER_DATA_DIR: missingFolder,
    CURSOR_USER_DATA_DIR: missingFolder,
    WINDSURF_USER_DATA_DIR: missingFolder,
    ...(extraPathFolder === undefined ? {} : withPathFolder(inheritedEnv, extraPathFolder, pathDelimiter)),
  };
}

/** Adds the loopback hosts. The user's entries stay first, in the same order and without duplicates. */
function withLoopback(lists: readonly (string | undefined)[]): string {
  const entries = lists.flatMap((list) => (list ?? '').split(',')).map((entry) => entry.trim());
  return [...new Set([...entries, 'localhost', '127.0.0.1'])].filter((entry) => entry !== '').join(',');
}

/**
 * Adds a folder to PATH under the existing name of the variable. On Windows, this is `Path`, and another spelling would
 * create a second variable.
 */
function withPathFolder(
  inherited: Readonly<Record<string, string | undefined>>,
  folder: string,
  delimiter: string,
): Record<string, string> {
  const name = Object.keys(inherited).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  const value = inherited[name] ?? '';
  return { [name]: value === '' ? folder : `${folder}${delimiter}${value}` };
}
