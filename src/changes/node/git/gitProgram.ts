import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import * as path from 'node:path';
import type { Clock } from '../../../base/common/async';
import { CheckpointError, cancelledError } from '../../common/checkpointError';
import { findGitOnThisSystem } from './findGit';

/** A call of Git, without a shell. */
interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment. Nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array | undefined;
  /** When it fires, the whole process group is ended. If the reason is a CheckpointError, it is thrown. */
  readonly signal: AbortSignal;
  readonly maxOutputBytes?: number | undefined;
}

export interface GitResult {
  /** The exit code; null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly output: Buffer;
  /** The last part of stderr. */
  readonly errors: string;
}

const oldestVersion = [2, 25] as const;
const packingVersion = [2, 38] as const;
const maxErrorUnits = 64 * 1024;
const defaultOutputBytes = 256 * 1024 * 1024;
const killAfterMs = 2_000;
const versionMs = 10_000;
const maxVersionBytes = 64 * 1024;

export class GitProgram {
  constructor(
    private readonly file: string,
    private readonly clock: Clock,
    /** Whether one call of `update-index` writes many files into one pack. */
    readonly packsNewFiles = false,
  ) {}

  /** Looks for Git on PATH, but never inside workspace folders. @throws CheckpointError `noGit` */
  static async find(
    folders: readonly string[],
    clock: Clock,
    searchPath = process.env['PATH'] ?? '',
  ): Promise<GitProgram> {
    const file = await findGitOnThisSystem(folders, searchPath);
    if (file === undefined)
      throw new CheckpointError('noGit', 'Git is not installed. Install Git to track all changes.');
    const unknown = new GitProgram(file, clock);
    const env = cleanEnvironment();
    const { output } = await unknown
      .run({
        args: ['--version'],
        cwd: path.dirname(file),
        env,
        signal: AbortSignal.timeout(versionMs),
        maxOutputBytes: maxVersionBytes,
      })
      .catch((error: unknown) => {
        throw new CheckpointError('noGit', 'Git could not be started. Reinstall Git to track all changes.', {
          cause: error,
        });
      });
    const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(output.toString('utf8', 0, 100)) ?? [];
    if (major === undefined) {
      throw new CheckpointError('noGit', 'The program git on PATH is not Git. Install Git to track all changes.');
    }
    const isFrom = ([wantedMajor, wantedMinor]: readonly [number, number]): boolean =>
      Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
    if (!isFrom(oldestVersion)) {
      const found = `${Number(major)}.${Number(minor)}`;
      throw new CheckpointError('noGit', `Git ${found} is too old. Install Git ${oldestVersion.join('.')} or newer.`);
    }
    return new GitProgram(file, clock, isFrom(packingVersion));
  }

  /** Resolves with any exit code. @throws CheckpointError `cancelled`, `failed` */
  async run({ args, cwd, env, input, signal, maxOutputBytes = defaultOutputBytes }: GitCall): Promise<GitResult> {
    if (signal.aborted) throw reasonOf(signal);
    // Git gets its own process group, so that its child processes end with it. On Windows, the process tree is ended.
    const child = spawn(this.file, args, { cwd, env, detached: process.platform !== 'win32', windowsHide: true });
    const ending = new ProcessEnding(child, this.clock);
    let stopped: CheckpointError | undefined;
    const stop = (error: CheckpointError): void => {
      stopped ??= error;
      ending.start();
    };
    const onAbort = (): void => stop(reasonOf(signal));
    signal.addEventListener('abort', onAbort);
    try {
      const onTooMuch = (): void => stop(new CheckpointError('failed', 'The output of Git is too large.'));
      const end = await Promise.race([ended(child, input, onTooMuch, maxOutputBytes), ending.endingFailure]);
      if (stopped) throw stopped;
      return end;
    } catch (error) {
      throw stopped ?? error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      ending.dispose();
    }
  }
}

/** Returns the environment of this process without variables that configure Git. */
export function cleanEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^GIT_/i.test(name)) env[name] = value;
  }
  return { ...env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
}

function reasonOf(signal: AbortSignal): CheckpointError {
  return signal.reason instanceof CheckpointError ? signal.reason : cancelledError();
}

function ended(
  child: ChildProcessWithoutNullStreams,
  input: string | Uint8Array | undefined,
  onTooMuch: () => void,
  maxOutputBytes: number,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) onTooMuch();
      else chunks.push(chunk);
    });
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => (errors = (errors + text).slice(-maxErrorUnits)));
    // Git may end before it has read all input. Its exit code then shows the reason.
    child.stdin.on('error', () => undefined);
    child.on('error', (cause) => {
      reject(new CheckpointError('failed', `Git could not be started: ${cause.message}`, { cause }));
    });
    child.on('close', (exitCode) => resolve({ exitCode, output: Buffer.concat(chunks), errors }));
    child.stdin.end(input);
  });
}

/** Ends the process group, kills it if it does not end, and gives up if it is still running after that. */
class ProcessEnding {
  private timer: { dispose(): void } | undefined;
  private readonly givenUpResolvers = Promise.withResolvers<never>();

  constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly clock: Clock,
  ) {
    this.givenUpResolvers.promise.catch(() => undefined);
  }

  /** Rejects if the process cannot be ended, or if another process keeps its output open. */
  get endingFailure(): Promise<never> {
    return this.givenUpResolvers.promise;
  }

  start(): void {
    if (this.timer) return;
    this.timer = this.clock.setTimer(killAfterMs, () => {
      this.sendSignal('SIGKILL');
      this.timer = this.clock.setTimer(killAfterMs, () => {
        const { stderr, stdin, stdout } = this.child;
        for (const stream of [stderr, stdin, stdout]) stream.destroy();
        this.child.unref();
        this.givenUpResolvers.reject(new CheckpointError('failed', 'Git did not exit in time.'));
      });
    });
    this.sendSignal('SIGTERM');
  }

  dispose(): void {
    this.timer?.dispose();
  }

  private sendSignal(signal: NodeJS.Signals): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    if (process.platform === 'win32') {
      spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true, timeout: killAfterMs });
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch {
      // The process has already ended.
    }
  }
}
