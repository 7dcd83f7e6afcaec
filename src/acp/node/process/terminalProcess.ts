import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { withDeadline, type Clock } from '../../../base/common/async';
import type { TerminalState } from '../../common/session/terminalStates';
import { ByteTail } from './byteTail';
import { endProcessTree, killProcessTreeNow, ownProcessGroupOptions } from './processTree';

interface TerminalCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Maximum size of the kept output, in bytes. The oldest output is dropped first. */
  readonly maxOutputBytes: number;
  /** On Windows: the arguments are not quoted, as `cmd /s /c` requires. */
  readonly hasVerbatimArguments?: boolean;
}

export interface TerminalExit {
  readonly code: number | null;
  readonly signal: string | null;
}

const outputDrainMs = 1000;
/** Two of these steps and the remaining output must fit into the 3 s that a closing window has. */
const killGraceMs = 700;

/** A command without a shell and stdin, in its own process group. Keeps the command's output. */
export class TerminalProcess {
  /** Resolves when the command has ended and its output was read. Never rejects. */
  readonly whenExited: Promise<TerminalExit>;
  private readonly outputTail: ByteTail;
  private totalBytes = 0;
  private exitResult: TerminalExit | undefined;
  private endResult: Promise<unknown> | undefined;

  private constructor(
    private readonly child: ChildProcess & { readonly stdout: Readable; readonly stderr: Readable },
    private readonly pid: number,
    private readonly maxOutputBytes: number,
    private readonly clock: Clock,
    private readonly onDidChange: () => void,
  ) {
    this.outputTail = new ByteTail(maxOutputBytes);
    this.collectOutput(child.stdout);
    this.collectOutput(child.stderr);
    this.whenExited = this.waitForExit();
  }

  /** Starts the command. The caller owns the result and must `kill` it. @throws the error of `spawn` */
  static async start(command: TerminalCommand, clock: Clock, onDidChange: () => void): Promise<TerminalProcess> {
    const { file, args, cwd, env, hasVerbatimArguments: windowsVerbatimArguments = false } = command;
    const options = { cwd, env, windowsVerbatimArguments, ...ownProcessGroupOptions };
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    await once(child, 'spawn');
    child.on('error', () => undefined);
    return new TerminalProcess(child, child.pid ?? 0, command.maxOutputBytes, clock, onDidChange);
  }

  get view(): TerminalState {
    const { exitResult } = this;
    const view = { output: this.outputTail.toString(), truncated: this.totalBytes > this.maxOutputBytes };
    return exitResult ? { ...view, exit: exitResult } : view;
  }

  /** Ends the command and its child processes. Resolves when they have exited. */
  async kill(): Promise<void> {
    if (!this.exitResult) this.endResult ??= endProcessTree(this.pid, killGraceMs, this.clock);
    await this.endResult;
    await this.whenExited;
  }

  killNow(): void {
    if (!this.exitResult) killProcessTreeNow(this.pid);
  }

  private collectOutput(stream: Readable): void {
    // stdout and stderr are decoded separately, so that interleaved chunks do not break characters.
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => this.appendOutput(decoder.write(chunk)));
    stream.on('end', () => this.appendOutput(decoder.end()));
    stream.on('error', () => undefined);
  }

  private appendOutput(text: string): void {
    if (text === '') return;
    const bytes = Buffer.from(text);
    this.totalBytes += bytes.length;
    this.outputTail.push(bytes);
    this.onDidChange();
  }

  private async waitForExit(): Promise<TerminalExit> {
    const { child } = this;
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      child.once('exit', (exitCode, exitSignal) => resolve([exitCode, exitSignal]));
    });
    // The remaining processes of the group are ended, which closes the pipes.
    this.endResult ??= endProcessTree(this.pid, killGraceMs, this.clock);
    await this.endResult;
    await withDeadline(this.clock, 'output', outputDrainMs, () => closed).catch(() => undefined);
    child.stdout.destroy();
    child.stderr.destroy();
    this.exitResult = { code, signal };
    this.onDidChange();
    return this.exitResult;
  }
}
