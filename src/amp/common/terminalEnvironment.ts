export interface TerminalEnvironmentOptions {
  /** What the terminal inherits. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** The folder `amp` is in, when the inherited PATH does not have it. */
  readonly extraPathFolder?: string;
  /** `:` or `;`. */
  readonly pathDelimiter: string;
  /** A folder that does not exist and never will. */
  readonly missingFolder: string;
}

/** The environment that makes an Amp CLI find this window's server, and no other candidate, and reach it. */
export function terminalEnvironment(options: TerminalEnvironmentOptions): Record<string, string> {
  const { inherited, extraPathFolder, pathDelimiter, missingFolder } = options;
  const noProxy = withLoopback([inherited['NO_PROXY'], inherited['no_proxy']]);
  return {
    // The CLI sends even connections to loopback through a proxy, unless told not to; it reads either spelling.
    NO_PROXY: noProxy,
    no_proxy: noProxy,
    // The CLI also offers to read the state files of editors it sees running, and connects by itself only when there is
    // exactly one candidate. Pointed at a folder that does not exist, it finds no such editor: our server is the only one.
    VSCODE_USER_DATA_DIR: missingFolder,
    VSCODE_INSIDERS_USER_DATA_DIR: missingFolder,
    CURSOR_USER_DATA_DIR: missingFolder,
    WINDSURF_USER_DATA_DIR: missingFolder,
    ...(extraPathFolder === undefined ? {} : withPathFolder(inherited, extraPathFolder, pathDelimiter)),
  };
}

/** The user's entries first, in their order, each once. */
function withLoopback(lists: readonly (string | undefined)[]): string {
  const entries = lists.flatMap((list) => (list ?? '').split(',')).map((entry) => entry.trim());
  return [...new Set([...entries, 'localhost', '127.0.0.1'])].filter((entry) => entry !== '').join(',');
}

/** Windows calls it `Path`; a second spelling beside it would be a second variable. */
function withPathFolder(
  inherited: Readonly<Record<string, string | undefined>>,
  folder: string,
  delimiter: string,
): Record<string, string> {
  const name = Object.keys(inherited).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  const value = inherited[name] ?? '';
  return { [name]: value === '' ? folder : `${folder}${delimiter}${value}` };
}
