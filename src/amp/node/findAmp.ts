import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';

export interface FindAmpOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string;
  /** Whether the path is a file that this user may execute. */
  readonly isExecutable: (file: string) => Promise<boolean>;
}

export interface FoundAmp {
  readonly file: string;
  /** Whether a shell with this environment finds the CLI by name. */
  readonly isOnPath: boolean;
}

/** Finds the Amp CLI on PATH, or else in the folders of its installer. */
export async function findAmp(options: FindAmpOptions): Promise<FoundAmp | undefined> {
  const { platform, env, homeFolder, isExecutable } = options;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const onPath = (valueOf(env, 'PATH') ?? '')
    .split(paths.delimiter)
    .map((folder) => folder.replace(/^"(.*)"$/, '$1'))
    // Relative entries are ignored, because they refer to other folders in the terminal.
    .filter((folder) => paths.isAbsolute(folder));
  const installed = [
    paths.join(homeFolder, '.local', 'bin'),
    paths.join(env['AMP_HOME'] ?? paths.join(homeFolder, '.amp'), 'bin'),
  ];
  const names = platform === 'win32' ? extensionsOf(env).map((extension) => `amp${extension}`) : ['amp'];
  for (const folder of [...onPath, ...installed]) {
    for (const name of names) {
      const file = paths.join(folder, name);
      if (await isExecutable(file)) return { file, isOnPath: onPath.includes(folder) };
    }
  }
  return undefined;
}

export function findInstalledAmp(): Promise<FoundAmp | undefined> {
  return findAmp({ platform: process.platform, env: process.env, homeFolder: homedir(), isExecutable });
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

function extensionsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  // PATHEXT also contains extensions of scripts, but a file `amp.js` is not the CLI.
  const startable = ['.com', '.exe', '.bat', '.cmd'];
  const configured = (valueOf(env, 'PATHEXT') ?? '').toLowerCase().split(';');
  const extensions = configured.filter((extension) => startable.includes(extension));
  return extensions.length > 0 ? extensions : startable;
}

/** Reads an environment variable. On Windows, names (`Path`) are case-insensitive, but keys of an object are not. */
function valueOf(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return env[name] ?? Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
