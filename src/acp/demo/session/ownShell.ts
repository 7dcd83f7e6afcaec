import { withDeadline, type Clock } from '../../../base/common/async';
import { TimeoutError } from '../../../base/common/errors';
import { TerminalProcess } from '../../node/process/terminalProcess';
import { unlessCancelled } from '../answer/turn';

interface ShellCommand {
  readonly command: string;
  /** Absolute path. */
  readonly cwd: string;
  readonly timeoutMs: number;
  /** The oldest output is dropped first. */
  readonly maxOutputBytes: number;
}

/** `output` is what the command has printed so far, on both streams. */
type ShellEnd =
  | {
      readonly kind: 'exited';
      readonly output: string;
      readonly exitCode: number | null;
      readonly signal: string | null;
    }
  | { readonly kind: 'timedOut'; readonly output: string };

/**
 * Runs a command in the system's shell, with the environment of this process. When this settles, the shell and all
 * other processes of its group have ended.
 * @throws TurnCancelled, the error of `spawn`
 */
export async function runInOwnShell(
  { command, cwd, timeoutMs, maxOutputBytes }: ShellCommand,
  clock: Clock,
  signal: AbortSignal,
): Promise<ShellEnd> {
  const shell = shellFor(command, process.platform, process.env);
  const child = await TerminalProcess.start(
    { ...shell, cwd, env: ownEnvironment(), maxOutputBytes },
    clock,
    () => undefined,
  );
  const outputSoFar = (): string => {
    const { output, truncated } = child.view;
    return truncated ? `(The beginning of the output was left out.)\n${output}` : output;
  };
  try {
    const exited = withDeadline(clock, 'the shell command', timeoutMs, () => child.whenExited);
    const { code, signal: endSignal } = await unlessCancelled(signal, exited);
    return { kind: 'exited', output: outputSoFar(), exitCode: code, signal: endSignal };
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    return { kind: 'timedOut', output: outputSoFar() };
  } finally {
    await child.kill();
  }
}

/**
 * Returns the program and arguments that run a command line in the platform's shell. Does not search PATH for the
 * shell.
 */
export function shellFor(
  command: string,
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): { readonly file: string; readonly args: readonly string[]; readonly hasVerbatimArguments: boolean } {
  if (platform !== 'win32') return { file: '/bin/sh', args: ['-c', command], hasVerbatimArguments: false };
  const file = env['ComSpec'] ?? String.raw`C:\Windows\System32\cmd.exe`;
  // cmd removes the outer quotes (/s) and uses the rest unchanged, without the escapes that Node.js would add.
  return { file, args: ['/d', '/s', '/c', `"${command}"`], hasVerbatimArguments: true };
}

function ownEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
