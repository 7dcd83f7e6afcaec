import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Disposable } from '../../../base/common/disposable';
import { errorCode, messageOf } from '../../../base/common/errors';
import { cancelledError, diskError, InstallError } from '../../common/install/installError';
import type { InstallPorts } from '../installPorts';

interface ProgramCall {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path. */
  readonly cwd: string;
  readonly timeoutMs: number;
}

interface ProgramResult {
  /** `null` if a signal ended the program. */
  readonly code: number | null;
  readonly stdout: string;
  /** The end of stderr. */
  readonly stderrTail: string;
}

const maxStdoutChars = 16 * 1024 * 1024;
const maxStderrChars = 64 * 1024;

/** Runs a program until it exits. Ends it with all its descendants when the signal fires. @throws InstallError */
export async function runProgram(
  { file, args, env, cwd, timeoutMs }: ProgramCall,
  ports: Pick<InstallPorts, 'system' | 'clock' | 'endProcessTree' | 'guardProcess'>,
  signal: AbortSignal,
): Promise<ProgramResult> {
  const isCancelled = (): boolean => signal.aborted;
  if (isCancelled()) throw cancelledError();
  const child = spawn(file, args, {
    cwd,
    env,
    // As the leader of a group, it can be ended with its descendants.
    detached: ports.system.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const closed = Promise.withResolvers<number | null>();
  child.once('close', (code) => closed.resolve(code));
  try {
    await once(child, 'spawn');
  } catch (error) {
    const message = `'${file}' could not be started: ${messageOf(error)}`;
    throw (
      diskError(errorCode(error), error) ?? new InstallError('installerFailed', message, undefined, { cause: error })
    );
  }
  const { pid } = child;
  let stdout = '';
  let stderr = '';
  const ending: { failure?: InstallError } = {};
  const timers: Disposable[] = [];
  const stop = (reason: InstallError): void => {
    if (ending.failure) return;
    ending.failure = reason;
    // A descendant that left the group could keep the pipes open.
    const close = (): void => {
      child.stdout.destroy();
      child.stderr.destroy();
    };
    if (pid === undefined) close();
    else void ports.endProcessTree(pid).then(close);
  };
  const onAbort = (): void => stop(cancelledError());
  child.on('error', () => undefined);
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    stdout += text;
    if (stdout.length > maxStdoutChars) stop(new InstallError('installerFailed', `'${file}' writes too much output.`));
  });
  child.stderr.on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxStderrChars);
  });
  signal.addEventListener('abort', onAbort, { once: true });
  if (isCancelled()) onAbort();
  const minutes = Math.max(1, Math.round(timeoutMs / 60_000));
  timers.push(
    ports.clock.setTimer(timeoutMs, () =>
      stop(
        new InstallError('stalled', `The installation did not finish within ${minutes} minutes.`, 'Try again later.'),
      ),
    ),
  );
  if (pid !== undefined && ports.guardProcess) timers.push(ports.guardProcess(pid));
  try {
    const code = await closed.promise;
    if (ending.failure) throw ending.failure;
    return { code, stdout, stderrTail: stderr };
  } finally {
    signal.removeEventListener('abort', onAbort);
    for (const timer of timers) timer.dispose();
  }
}
