import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { killProcessTreeNow, ownProcessGroupOptions } from './processTree';

interface ShellEnvironmentOptions {
  readonly platform: NodeJS.Platform;
  readonly processEnv: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
const maxOutputChars = 4 * 1024 * 1024;

/** The environment for agents, read once from the login shell, because the editor's PATH may be incomplete. */
export class ShellEnvironment {
  private environment: Promise<Record<string, string>> | undefined;

  constructor(private readonly options: ShellEnvironmentOptions) {}

  /** Returns the environment. If the shell fails, returns the environment of this process. Never rejects. */
  get(): Promise<Record<string, string>> {
    this.environment ??= this.resolve();
    return this.environment;
  }

  private async resolve(): Promise<Record<string, string>> {
    const { platform, log } = this.options;
    const own = withoutEditorInternals(this.options.processEnv);
    if (platform === 'win32') return own;
    try {
      return mergeEnvironments(own, await this.readFromShell(own));
    } catch (error) {
      log.warn(`Agents get the environment of the editor, the login shell's could not be read: ${messageOf(error)}`);
      return own;
    }
  }

  private async readFromShell(own: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const { clock, timeoutMs = defaultTimeoutMs } = this.options;
    const shell = own['SHELL'] ?? userInfo().shell ?? '';
    if (!shell.startsWith('/')) throw new Error('no login shell is set (SHELL)');
    const marker = randomUUID();
    const output = await withDeadline(clock, `'${shell} -l -i'`, timeoutMs, (signal) =>
      printedEnvironment(shell, own, marker, signal),
    );
    return parseEnvironment(output, marker);
  }
}

/**
 * Merges two environments. Variables of this process take precedence, because they may be set intentionally. PATH
 * combines both values, that of this process first.
 */
export function mergeEnvironments(
  own: Readonly<Record<string, string>>,
  shell: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = [own['PATH'], shell['PATH']].flatMap((list) => list?.split(':') ?? []);
  return { ...shell, ...own, PATH: [...new Set(entries)].filter((entry) => entry !== '').join(':') };
}

/** Parses the environment between two markers in the shell's output. @throws Error if the markers are missing */
export function parseEnvironment(output: string, marker: string): Record<string, string> {
  // Start-up files of the shell may print other text before and after the environment.
  const [, listing = ''] = output.split(marker);
  const env: Record<string, string> = {};
  for (const entry of listing.split('\0')) {
    const equals = entry.indexOf('=');
    // Omits variables that describe the shell itself.
    if (equals > 0 && !/^(_|SHLVL|PWD|OLDPWD)=/.test(entry)) env[entry.slice(0, equals)] = entry.slice(equals + 1);
  }
  if (env['PATH'] === undefined) throw new Error('the shell printed no environment');
  return env;
}

/** Drops variables that would make a Node.js or Electron agent start incorrectly. */
function withoutEditorInternals(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^(ELECTRON_|VSCODE_)/.test(entry[0]),
  );
  return Object.fromEntries(entries);
}

/** Runs the shell as login and interactive shell: start-up files that set PATH are read by only one of them. */
function printedEnvironment(
  shell: string,
  env: Readonly<Record<string, string>>,
  marker: string,
  signal: AbortSignal,
): Promise<string> {
  const script = `printf %s ${marker}; command env -0; printf %s ${marker}`;
  // The shell gets its own process group. Otherwise, an interactive shell could take over the terminal and suspend this
  // process.
  const child = spawn(shell, ['-l', '-i', '-c', script], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    ...ownProcessGroupOptions,
  });
  return new Promise((resolve, reject) => {
    let output = '';
    const kill = (): void => {
      if (child.pid !== undefined) killProcessTreeNow(child.pid);
      child.stdout.destroy();
    };
    signal.addEventListener('abort', kill, { once: true });
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      output += text;
      if (output.length > maxOutputChars) kill();
      // Background processes of start-up files may keep stdout open, so the code does not wait for its end.
      if (output.split(marker).length > 2) child.stdout.destroy();
    });
    child.once('error', reject);
    child.stdout.once('close', () => resolve(output));
  });
}
