import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { MessageStream } from '../../../wire/common/messageStream';
import { ChildProcessStream, type PipedChild } from '../../../wire/node/childProcessStream';
import { ByteTail } from './byteTail';
import { CommandError, diskCommandFileAccess, lookupCommand } from './commandLookup';
import {
  endProcessTree,
  descendantProcessGroups,
  killProcessTreeNow,
  ownProcessGroupOptions,
  type ProcessTreeEnd,
} from './processTree';
import { isFolder } from '../../../base/node/isFolder';

interface AgentCommand {
  /** A path, or the name of a program on the PATH of `env`. */
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment. Nothing is inherited from this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory, as an absolute path. */
  readonly cwd: string;
}

interface AgentProcessOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long each step of `stop` waits before the next, more forceful step. */
  readonly graceMs?: number;
  /** Ends the process group of `leader` if this process dies. The result is disposed when the group has ended. */
  readonly guard?: (leader: number) => Disposable;
}

export interface AgentExit {
  /** The exit code. `null` if a signal ended the process. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last part of stderr. */
  readonly stderrTail: string;
}

/** How the agent and its child processes ended. `endOfInput`: they ended after stdin was closed. */
type StopOutcome = Exclude<ProcessTreeEnd, 'gone'> | 'endOfInput' | 'alreadyGone';

/** Three of these steps must fit into the 3 s that a closing window has. */
const defaultGraceMs = 700;
const maxStderrBytes = 64 * 1024;
const stderrDrainMs = 1000;

/** Starts an agent without a shell, as leader of a new process group. The caller must stop it. @throws CommandError */
export async function startAgentProcess(command: AgentCommand, options: AgentProcessOptions): Promise<AgentProcess> {
  const { env, cwd } = command;
  await requireFolder(cwd);
  const found = await lookupCommand(command.command, {
    platform: process.platform,
    env,
    cwd,
    files: diskCommandFileAccess,
  });
  const child = await spawnChild(found.file, [...found.args, ...command.args], command).catch((cause: unknown) => {
    throw new CommandError('spawnFailed', `'${found.file}' could not be started: ${messageOf(cause)}`, undefined, {
      cause,
    });
  });
  child.on('error', (error) => options.log.warn(`Agent process ${child.pid}: ${error.message}`));
  const agent = new AgentProcess(child, options);
  agent.watchChild();
  return agent;
}

type AgentChild = PipedChild & { readonly pid: number; readonly stderr: Readable };

/** A running agent. When it exits, its remaining child processes are ended, too. */
export class AgentProcess {
  /** `stop` and `killNow` close the stream. Otherwise it ends after the agent's last message. */
  readonly stream: MessageStream;
  private readonly onListenerError = (error: unknown): void =>
    this.options.log.error('A listener of an agent process failed', error);
  private readonly exitEmitter = new Emitter<AgentExit>(this.onListenerError);
  /** Fires once, when the agent itself has exited. Its child processes may still be running. */
  readonly onDidExit = this.exitEmitter.event;
  private readonly stderr = new ByteTail(maxStderrBytes);
  readonly pid: number;
  private readonly graceMs: number;
  private readonly reaperWatch: Disposable | undefined;
  /** Process groups that the agent created for its child processes. */
  private childProcessGroups: readonly number[] = [];
  private hasLeaderExited = false;
  private exitResult: AgentExit | undefined;
  private stopResult: Promise<StopOutcome> | undefined;
  private hasEnded = false;

  constructor(
    private readonly child: AgentChild,
    private readonly options: AgentProcessOptions,
  ) {
    const { clock } = options;
    this.pid = child.pid;
    this.graceMs = options.graceMs ?? defaultGraceMs;
    this.reaperWatch = options.guard?.(child.pid);
    this.stream = new ChildProcessStream(child, { clock, onListenerError: this.onListenerError });
  }

  get exit(): AgentExit | undefined {
    return this.exitResult;
  }

  stderrTail(): string {
    return this.stderr.toString();
  }

  /** Must be called once, immediately after the child was spawned. */
  watchChild(): void {
    const { child, options } = this;
    const stderrClosed = new Promise<void>((resolve) => child.stderr.once('close', resolve));
    child.stderr.on('data', (chunk: Buffer) => this.stderr.push(chunk));
    child.stderr.on('error', (error) => options.log.debug(`stderr of agent ${this.pid}: ${error.message}`));
    child.once('exit', (code, signal) => {
      this.hasLeaderExited = true;
      this.stopResult ??= this.endProcessGroups();
      // Remaining output may be in the pipe, but a grandchild may keep the pipe open forever.
      void withDeadline(options.clock, 'stderr', stderrDrainMs, () => stderrClosed)
        .catch(() => undefined)
        .then(() => {
          this.exitResult = { code, signal, stderrTail: this.stderrTail() };
          this.exitEmitter.fire(this.exitResult);
        });
    });
  }

  /** Closes stdin, then sends SIGTERM and SIGKILL if needed. Resolves when all processes have ended. Never rejects. */
  async stop(): Promise<StopOutcome> {
    this.stopResult ??= this.endProcessGroups();
    const outcome = await this.stopResult;
    this.closeStreams();
    return outcome;
  }

  /** Kills the process group without waiting. For use when this process is about to exit. */
  killNow(): void {
    if (!this.hasEnded) killProcessTreeNow(this.pid, this.childProcessGroups);
    this.closeStreams();
  }

  private async endProcessGroups(): Promise<StopOutcome> {
    const byItself = this.hasLeaderExited;
    if (!byItself) {
      // This must be done before the exit, after which nothing tells whose child processes they were.
      this.childProcessGroups = descendantProcessGroups(this.pid);
      this.child.stdin.end();
      await this.waitForLeaderExit();
    }
    const { graceMs, options } = this;
    const treeEnd = await endProcessTree(this.pid, graceMs, options.clock, this.childProcessGroups);
    this.hasEnded = treeEnd !== 'stillRunning';
    if (this.hasEnded) this.reaperWatch?.dispose();
    else this.options.log.error(`Agent process ${this.pid} could not be ended`);
    if (treeEnd !== 'gone') return treeEnd;
    return byItself ? 'alreadyGone' : 'endOfInput';
  }

  /** Settles when the agent has exited, or after `graceMs`. */
  private async waitForLeaderExit(): Promise<void> {
    const controller = new AbortController();
    const exit = once(this.child, 'exit', { signal: controller.signal });
    await withDeadline(this.options.clock, 'exit', this.graceMs, () => exit).catch(() => controller.abort());
  }

  private closeStreams(): void {
    this.stream.dispose();
    this.child.stderr.destroy();
  }
}

/** Spawns the process. @throws the error of the operating system or of Node.js */
async function spawnChild(
  file: string,
  args: readonly string[],
  { env, cwd }: Pick<AgentCommand, 'env' | 'cwd'>,
): Promise<AgentChild> {
  const child = spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], ...ownProcessGroupOptions });
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error('it has no process id');
  return Object.assign(child, { pid });
}

async function requireFolder(cwd: string): Promise<void> {
  if (await isFolder(cwd)) return;
  throw new CommandError('folderMissing', `The working folder '${cwd}' does not exist. Set another one as "cwd".`);
}
