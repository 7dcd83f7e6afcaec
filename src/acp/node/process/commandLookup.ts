import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { interpreterOf } from '../../common/catalogue/shebang';
import { parseWindowsShim } from '../../common/catalogue/windowsShim';

interface LookupOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base folder of relative commands, as an absolute path. */
  readonly cwd: string;
  readonly files: CommandFileAccess;
}

export interface CommandFileAccess {
  kindOf(file: string): Promise<'executable' | 'notExecutable' | 'missing'>;
  readHead(file: string, maxBytes: number): Promise<string>;
}

/** A program and its first arguments. The caller's arguments follow `args`. */
export interface FoundCommand {
  readonly file: string;
  readonly args: readonly string[];
}

export type CommandErrorReason =
  'notFound' | 'notExecutable' | 'interpreterMissing' | 'needsShell' | 'folderMissing' | 'spawnFailed';

/** Explains why a command cannot be started, with advice for the user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    readonly reason: CommandErrorReason,
    message: string,
    /** The PATH that was searched, if any. */
    readonly searchedPath?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get details(): string | undefined {
    return this.searchedPath === undefined ? undefined : `PATH: ${this.searchedPath}`;
  }
}

const maxShimBytes = 8 * 1024;

/**
 * Finds the program that a shell would start. Resolves npm's `.cmd` files and scripts to the programs that they run.
 * @throws CommandError
 */
export async function lookupCommand(command: string, options: LookupOptions): Promise<FoundCommand> {
  return options.platform === 'win32' ? lookupOnWindows(command, options) : lookupOnPosix(command, options);
}

/** Like `lookupCommand`, but uses the environment of this process. `file` is an absolute path. @throws CommandError */
export function lookupCommandInOwnEnvironment(file: string): Promise<FoundCommand> {
  const { platform, env } = process;
  return lookupCommand(file, { platform, env, cwd: path.dirname(file), files: diskCommandFileAccess });
}

/** Reads an environment variable. On Windows, names are case-insensitive. */
export function environmentValue(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  platform: NodeJS.Platform,
): string | undefined {
  if (env[name] !== undefined || platform !== 'win32') return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name.toUpperCase())?.[1];
}

export const diskCommandFileAccess: CommandFileAccess = {
  async kindOf(file) {
    try {
      if (!(await stat(file)).isFile()) return 'missing';
    } catch {
      return 'missing';
    }
    try {
      await access(file, constants.X_OK);
      return 'executable';
    } catch {
      return 'notExecutable';
    }
  },
  async readHead(file, maxBytes) {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  },
};

async function lookupOnPosix(command: string, options: LookupOptions): Promise<FoundCommand> {
  const { files } = options;
  const file = await findFile(command, [command], options);
  const head = await files.readHead(file, 256).catch(() => '');
  const interpreter = interpreterOf(head);
  if (interpreter === undefined) return { file, args: [] };
  try {
    await findFile(interpreter, [interpreter], options);
  } catch (cause) {
    const searchedPath = cause instanceof CommandError ? cause.searchedPath : undefined;
    const message = `'${file}' needs '${interpreter}', which isn't on PATH. Install ${interpreter}, or add its folder to PATH.`;
    throw new CommandError('interpreterMissing', message, searchedPath, { cause });
  }
  return { file, args: [] };
}

async function lookupOnWindows(command: string, options: LookupOptions): Promise<FoundCommand> {
  const file = await findFile(command, windowsNames(command, options.env), options);
  if (/\.(exe|com)$/i.test(file)) return { file, args: [] };
  const shim = parseWindowsShim(await options.files.readHead(file, maxShimBytes), path.win32.dirname(file));
  for (const program of shim?.programs ?? []) {
    const names = /\.(exe|com)$/i.test(program) ? [program] : [`${program}.exe`, `${program}.com`];
    try {
      return { file: await findFile(program, names, options), args: shim?.args ?? [] };
    } catch {
      // The next program of the shim is tried.
    }
  }
  if (!shim) {
    const message = `'${file}' is a batch file, which only a shell can run. Use the program that it starts instead.`;
    throw new CommandError('needsShell', message);
  }
  const message = `'${file}' needs ${quoted(shim.programs)}, which isn't on PATH. Install it, or add its folder to PATH.`;
  throw new CommandError('interpreterMissing', message, environmentValue(options.env, 'PATH', 'win32') ?? '');
}

/** Returns file names to try. Omits the name without extension, which npm writes but Windows cannot start. */
function windowsNames(command: string, env: LookupOptions['env']): string[] {
  if (/\.(exe|com|cmd|bat)$/i.test(command)) return [command];
  const startable = new Set(['.com', '.exe', '.bat', '.cmd']);
  const configured = (environmentValue(env, 'PATHEXT', 'win32') ?? '').toLowerCase().split(';');
  const extensions = configured.filter((extension) => startable.has(extension));
  return (extensions.length > 0 ? extensions : [...startable]).map((extension) => command + extension);
}

async function findFile(command: string, names: readonly string[], options: LookupOptions): Promise<string> {
  const { platform, env, cwd, files } = options;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const isPath = platform === 'win32' ? /[\\/]|^[A-Za-z]:/.test(command) : command.includes('/');
  const searchedPath = isPath ? undefined : (environmentValue(env, 'PATH', platform) ?? '');
  // Relative PATH entries are ignored, because a workspace could use them to replace the program.
  const folders = searchedPath?.split(paths.delimiter).map((folder) => folder.replace(/^"(.*)"$/, '$1')) ?? [cwd];
  let blocked: string | undefined;
  for (const folder of folders.filter((entry) => paths.isAbsolute(entry))) {
    for (const name of names) {
      const file = paths.resolve(folder, name);
      const kind = await files.kindOf(file);
      if (kind === 'executable') return file;
      if (kind === 'notExecutable') blocked ??= file;
    }
  }
  if (blocked !== undefined) {
    const message = `'${blocked}' is not executable. Run chmod +x on it, or choose another program.`;
    throw new CommandError('notExecutable', message, searchedPath);
  }
  throw new CommandError('notFound', notFoundMessage(command, paths.resolve(cwd, command), isPath), searchedPath);
}

function notFoundMessage(command: string, resolved: string, isPath: boolean): string {
  if (command.startsWith('~'))
    return `'${command}' was not found. Use the full path, because '~' is not expanded here.`;
  if (isPath) return `There is no program at '${resolved}'. Check the path.`;
  return `"${command}" isn't on PATH.`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(' or ');
}
