import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile, rm, stat } from 'node:fs/promises';
import type { Clock } from '../../../base/common/async';
import { DisposableStore } from '../../../base/common/disposable';
import { ThreadError } from '../../common/threadPorts';
import { toThreadError, tooLargeError } from '../files/threadFile';

/** A program that is started without a shell. */
export interface CliCommand {
  /** Absolute path of the executable. */
  readonly file: string;
  /** Arguments that come before those of the call. */
  readonly args: readonly string[];
  /** The complete environment. Defaults to the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface CommandRunOptions {
  readonly command: CliCommand;
  readonly args: readonly string[];
  /** Absolute path of the file for stdout. A pipe could lose output when the program exits. */
  readonly outputFile: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface CommandResult {
  /** The exit code; null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly stderrTail: string;
}

/** Runs a command. @throws ThreadError `cancelled`, `tooLarge` or `cli` */
export type CommandRunner = (run: CommandRunOptions) => Promise<CommandResult>;

const maxStderrUnits = 16 * 1024;
const sizeCheckIntervalMs = 250;
const killAfterMs = 2_000;

/** Returns a function that runs commands and limits their time and their output. */
export function commandRunner(clock: Clock): CommandRunner {
  return async (run) => {
    const output = await open(run.outputFile, 'w', 0o600);
    try {
      return await runToEnd(run, output.fd, clock);
    } finally {
      await output.close();
    }
  };
}

/** Reads the output file and deletes it. @throws ThreadError `cli` if it is larger than `maxBytes` */
export async function readAndDeleteOutput(file: string, maxBytes: number): Promise<string> {
  try {
    if ((await stat(file)).size > maxBytes) throw new ThreadError('cli', 'The output of the Amp CLI is too large.');
    return await readFile(file, 'utf8');
  } catch (error) {
    throw toThreadError(error);
  } finally {
    await rm(file, { force: true });
  }
}

async function runToEnd(
  { command, args, ...limits }: CommandRunOptions,
  outputFd: number,
  clock: Clock,
): Promise<CommandResult> {
  if (limits.signal?.aborted === true) throw new ThreadError('cancelled', 'The Amp CLI call was canceled.');
  const child = spawn(command.file, [...command.args, ...args], {
    stdio: ['ignore', outputFd, 'pipe'],
    env: command.env ?? process.env,
    windowsHide: true,
  });
  const disposables = new DisposableStore();
  try {
    return await new Promise<CommandResult>((resolve, reject) => {
      const stop = (error: ThreadError): void => {
        reject(error);
        kill(child, clock);
      };
      const onAbort = (): void => stop(new ThreadError('cancelled', 'The Amp CLI call was canceled.'));
      limits.signal?.addEventListener('abort', onAbort);
      disposables.add({ dispose: () => limits.signal?.removeEventListener('abort', onAbort) });
      const timeoutError = new ThreadError(
        'cli',
        `The Amp CLI did not respond within ${limits.timeoutMs / 1000} s. Try again.`,
      );
      disposables.add(clock.setTimer(limits.timeoutMs, () => stop(timeoutError)));
      watchSize(limits.outputFile, limits.maxBytes, clock, disposables, stop);
      let stderrTail = '';
      child.stderr?.setEncoding('utf8');
      child.stderr?.on('data', (text: string) => (stderrTail = (stderrTail + text).slice(-maxStderrUnits)));
      child.on('error', (error) =>
        reject(new ThreadError('cli', `Could not start the Amp CLI: ${error.message}`, { cause: error })),
      );
      child.on('close', (exitCode) => resolve({ exitCode, stderrTail }));
    });
  } finally {
    disposables.dispose();
  }
}

function watchSize(
  file: string,
  maxBytes: number,
  clock: Clock,
  disposables: DisposableStore,
  stop: (error: ThreadError) => void,
): void {
  const check = async (): Promise<void> => {
    const size = (await stat(file).catch(() => undefined))?.size ?? 0;
    if (disposables.isDisposed) return;
    if (size > maxBytes) stop(tooLargeError(size));
    else schedule();
  };
  const schedule = (): void => {
    const timer = clock.setTimer(sizeCheckIntervalMs, () => {
      disposables.removeWithoutDisposing(timer);
      void check();
    });
    disposables.add(timer);
  };
  schedule();
}

function kill(child: ChildProcess, clock: Clock): void {
  child.kill();
  const timer = clock.setTimer(killAfterMs, () => child.kill('SIGKILL'));
  child.once('close', () => timer.dispose());
}
