/** What a `.cmd` file that npm, pnpm or yarn wrote for a package's command would run. */
interface WindowsShim {
  /** In the order in which the shim would take them: absolute paths, and names to look up on PATH. */
  readonly programs: readonly string[];
  /** The script and what stands before it; the user's own arguments go behind. */
  readonly args: readonly string[];
}

/**
 * Reads the one line of the shim that passes all arguments on (`%*`), so that the program behind it can be started
 * without a shell. `undefined` when there is no such line: the file is a batch script of its own.
 */
export function parseWindowsShim(text: string, shimFolder: string): WindowsShim | undefined {
  const lines = text.split(/\r?\n/);
  // The shims of pnpm and yarn have one such line for a node beside them and one for the node on PATH.
  const calls = lines.flatMap((line) => callOf(line, shimFolder) ?? []);
  const [first] = calls;
  if (!first) return undefined;
  if (calls.some(({ args }) => args.join('\n') !== first.args.join('\n'))) return undefined;
  const called = calls.map(({ program }) => program);
  const programs = called.flatMap((program) => (program === '%_prog%' ? progValues(lines, shimFolder) : [program]));
  if (programs.length === 0 || [...programs, ...first.args].some((word) => word.includes('%'))) return undefined;
  return { programs, args: first.args };
}

interface Call {
  readonly program: string;
  readonly args: readonly string[];
}

function callOf(line: string, folder: string): Call | undefined {
  // What stands before the last `&` cleans up after the shim.
  const command = /([^&|]*?)\s%\*\s*$/.exec(line)?.[1];
  if (command === undefined) return undefined;
  const [program, ...args] = [...command.matchAll(/"([^"]*)"|([^\s"@]+)/g)]
    .map(([, quoted, bare]) => quoted ?? bare ?? '')
    .map((word) => inFolder(word, folder));
  return program === undefined ? undefined : { program, args };
}

/** The shim sets `_prog` to the node beside it when there is one, else to the name. */
function progValues(lines: readonly string[], folder: string): string[] {
  return lines.flatMap((line) => {
    const value = /\bSET\s+"?_prog=([^"]*)"?/i.exec(line)?.[1];
    return value === undefined ? [] : [inFolder(value.trim(), folder)];
  });
}

/** `%~dp0` ends in a backslash by itself; the shims write another one behind it. */
function inFolder(word: string, folder: string): string {
  const rest = /^%(?:~dp0|dp0%)\\?(.*)$/i.exec(word)?.[1];
  return rest === undefined ? word : normalize(`${folder.replace(/[\\/]$/, '')}\\${rest}`);
}

function normalize(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split(/[\\/]/)) {
    if (segment === '..' && kept.length > 1) kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  return kept.join('\\');
}
