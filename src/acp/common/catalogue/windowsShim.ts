/** The program that a `.cmd` file of npm, pnpm or yarn runs. */
interface WindowsShim {
  /** Absolute paths and names to look up on PATH, in the shim's order. */
  readonly programs: readonly string[];
  /** The path of the script and the arguments before it. The caller's arguments follow. */
  readonly args: readonly string[];
}

/** Parses a shim, so that its program can be started without a shell. Undefined for any other batch file. */
export function parseWindowsShim(text: string, shimFolder: string): WindowsShim | undefined {
  const lines = text.split(/\r?\n/);
  // Shims of pnpm and yarn have two command lines: one for `node.exe` in the same folder, and one for `node` on PATH.
  const calls = lines.flatMap((line) => parseCall(line, shimFolder) ?? []);
  const [first] = calls;
  if (!first) return undefined;
  if (calls.some(({ args }) => args.join('\n') !== first.args.join('\n'))) return undefined;
  const called = calls.map(({ program }) => program);
  const programs = called.flatMap((program) =>
    program === '%_prog%' ? progVariableValues(lines, shimFolder) : [program],
  );
  if (programs.length === 0 || [...programs, ...first.args].some((word) => word.includes('%'))) return undefined;
  return { programs, args: first.args };
}

interface ShimCall {
  readonly program: string;
  readonly args: readonly string[];
}

function parseCall(line: string, folder: string): ShimCall | undefined {
  // The call is the last command. The commands before the last `&` clean up after the shim.
  const command = /([^&|]*?)\s%\*\s*$/.exec(line)?.[1];
  if (command === undefined) return undefined;
  const [program, ...args] = [...command.matchAll(/"([^"]*)"|([^\s"@]+)/g)]
    .map(([, quoted, bare]) => quoted ?? bare ?? '')
    .map((word) => expandShimFolder(word, folder));
  return program === undefined ? undefined : { program, args };
}

/** Returns the possible values of `_prog`, which a shim sets to `node.exe` in its folder, or to `node`. */
function progVariableValues(lines: readonly string[], folder: string): string[] {
  return lines.flatMap((line) => {
    const value = /\bSET\s+"?_prog=([^"]*)"?/i.exec(line)?.[1];
    return value === undefined ? [] : [expandShimFolder(value.trim(), folder)];
  });
}

/** Replaces `%~dp0`, which already ends with a backslash, although shims add another one. */
function expandShimFolder(word: string, folder: string): string {
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
