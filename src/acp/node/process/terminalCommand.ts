import * as path from 'node:path';
import { CommandError, environmentValue, lookupCommand, type CommandFileAccess } from './commandLookup';

interface TerminalCommandOptions {
  readonly platform: NodeJS.Platform;
  /** The command's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's own environment, which names the shell. Without the agent's variables. */
  readonly userEnv: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the folder where the command runs. */
  readonly cwd: string;
  readonly files: CommandFileAccess;
}

/** What a request for a terminal runs. */
export interface TerminalCommandLine {
  /** Absolute path of the program or shell. */
  readonly file: string;
  readonly args: readonly string[];
  /** On Windows: the arguments are not quoted, as `cmd /s /c` requires. */
  readonly hasVerbatimArguments?: boolean;
  /** Name of the shell, if one runs `command` as a line. */
  readonly shell?: string;
}

/** What only `cmd` itself can run. */
const cmdBuiltins: ReadonlySet<string> = new Set(['dir', 'echo', 'set', 'type', 'ver', 'vol', 'path', 'assoc', 'date']);
/** Shells that understand the lines that agents write. */
const posixShells: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh']);

/**
 * Finds what a terminal request runs. Without arguments, `command` may be a whole line: if it is no program, the user's
 * shell runs it. @throws CommandError if it cannot start
 */
export async function resolveTerminalCommand(
  command: string,
  args: readonly string[],
  options: TerminalCommandOptions,
): Promise<TerminalCommandLine> {
  try {
    const found = await lookupCommand(command, options);
    return { file: found.file, args: [...found.args, ...args] };
  } catch (error) {
    const isMissing = error instanceof CommandError && error.reason === 'notFound';
    if (!isMissing || args.length > 0 || !isShellLine(command, options.platform)) throw error;
    return await shellCommand(command, options);
  }
}

/** Whether a command that is no program can mean something to a shell. A single unknown word cannot. */
function isShellLine(command: string, platform: NodeJS.Platform): boolean {
  const line = command.trim();
  if (line === '' || line.includes('\0')) return false;
  return /[\s;&|<>()$`'"*?=]/.test(line) || (platform === 'win32' && cmdBuiltins.has(line.toLowerCase()));
}

async function shellCommand(line: string, options: TerminalCommandOptions): Promise<TerminalCommandLine> {
  const { files, platform, userEnv } = options;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  for (const file of shellsOf(platform, userEnv)) {
    if (!paths.isAbsolute(file) || (await files.kindOf(file)) !== 'executable') continue;
    const shell = paths
      .basename(file)
      .replace(/\.exe$/i, '')
      .toLowerCase();
    if (platform !== 'win32') return { file, args: ['-c', line], shell };
    if (shell === 'powershell' || shell === 'pwsh')
      return { file, args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', line], shell };
    return { file, args: ['/d', '/s', '/c', `"${line}"`], hasVerbatimArguments: true, shell };
  }
  throw new CommandError('notFound', 'No shell was found that can run this line. Send a program with its arguments.');
}

/** The user's shell if it understands such lines, else the system's. */
function shellsOf(platform: NodeJS.Platform, userEnv: TerminalCommandOptions['userEnv']): string[] {
  if (platform !== 'win32') {
    const own = userEnv['SHELL'] ?? '';
    return [...(posixShells.has(path.posix.basename(own)) ? [own] : []), '/bin/bash', '/bin/sh'];
  }
  const valueOf = (name: string): string => environmentValue(userEnv, name, platform) ?? '';
  const systemRoot = valueOf('SystemRoot') || 'C:\\Windows';
  return [valueOf('ComSpec'), path.win32.join(systemRoot, 'System32', 'cmd.exe')];
}
