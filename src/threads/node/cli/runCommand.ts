import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile, rm, stat } from 'node:fs/promises';
import type { Clock } from '../../../base/common/async';
import { DisposableStore } from '../../../base/common/disposable';
import { ThreadError } from '../../common/threadPorts';
import { asThreadError, tooLarge } from '../files/threadFile';

/** A program to start, without a shell. */
export interface Command {
  /** Absolute. */
  readonly file: string;
  /** They come before the caller's own. */
  readonly args: readonly string[];
  /** The whole environment; that of this process when there is none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface CommandRun {
  readonly command: Command;
  readonly args: readonly string[];
  /** Absolute. What the command writes goes there: programs lose what a pipe does not take at once when they exit. */
  readonly outputFile: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface CommandResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  /** The end of it. */
  readonly errors: string;
}

/** @throws ThreadError `cancelled`, `tooLarge` or `cli`. */
export type CommandRunner = (run: CommandRun) => Promise<CommandResult>;

const maxErrorUnits = 16 * 1024;
const checkSizeMs = 250;
const killAfterMs = 2_000;

/** Runs commands one has been handed, each with its limits. */
export function commandRunner(clock: Clock): CommandRunner {
  return async (run) => {
    const output = await open(run.outputFile, 'w', 0o600);
    try {
      return await ended(run, output.fd, clock);
    } finally {
      await output.close();
    }
  };
}

/** @throws ThreadError `cli` when there is more of it. */
export async function readOutput(file: string, maxBytes: number): Promise<string> {
  try {
    if ((await stat(file)).size > maxBytes) throw new ThreadError('cli', 'The amp CLI wrote more than can be read.');
    return await readFile(file, 'utf8');
  } catch (error) {
    throw asThreadError(error);
  } finally {
    await rm(file, { force: true });
  }
}

async function ended({ command, args, ...limits }: CommandRun, outputFd: number, clock: Clock): Promise<CommandResult> {
  if (limits.signal?.aborted === true) throw new ThreadError('cancelled', 'Asking the amp CLI was cancelled.');
  const child = spawn(command.file, [...command.args, ...args], {
    stdio: ['ignore', outputFd, 'pipe'],
    env: command.env ?? process.env,
    windowsHide: true,
  });
  const store = new DisposableStore();
  try {
    return await new Promise<CommandResult>((resolve, reject) => {
      const stop = (error: ThreadError): void => {
        reject(error);
        kill(child, clock);
      };
      const onAbort = (): void => stop(new ThreadError('cancelled', 'Asking the amp CLI was cancelled.'));
      limits.signal?.addEventListener('abort', onAbort);
      store.add({ dispose: () => limits.signal?.removeEventListener('abort', onAbort) });
      const late = new ThreadError('cli', `The amp CLI did not answer within ${limits.timeoutMs / 1000} s. Try again.`);
      store.add(clock.setTimer(limits.timeoutMs, () => stop(late)));
      watchSize(limits.outputFile, limits.maxBytes, clock, store, stop);
      let errors = '';
      child.stderr?.setEncoding('utf8');
      child.stderr?.on('data', (text: string) => (errors = (errors + text).slice(-maxErrorUnits)));
      child.on('error', (error) =>
        reject(new ThreadError('cli', `The amp CLI cannot be started: ${error.message}`, { cause: error })),
      );
      child.on('close', (exitCode) => resolve({ exitCode, errors }));
    });
  } finally {
    store.dispose();
  }
}

function watchSize(
  file: string,
  maxBytes: number,
  clock: Clock,
  store: DisposableStore,
  stop: (error: ThreadError) => void,
): void {
  const check = async (): Promise<void> => {
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    );
    if (store.isDisposed) return;
    if (size > maxBytes) stop(tooLarge(size));
    else next();
  };
  const next = (): void => {
    const timer = clock.setTimer(checkSizeMs, () => {
      store.release(timer);
      void check();
    });
    store.add(timer);
  };
  next();
}

function kill(child: ChildProcess, clock: Clock): void {
  child.kill();
  const timer = clock.setTimer(killAfterMs, () => child.kill('SIGKILL'));
  child.once('close', () => timer.dispose());
}
