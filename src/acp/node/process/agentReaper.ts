import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { toDisposable, type Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';

interface AgentReaperOptions {
  /** Path of `dist/agent-reaper.js`. This process's executable runs it. */
  readonly file: string;
  readonly log: Logger;
}

/** Ends agents when this process dies, which a helper process detects by the end of its stdin. Not on Windows. */
export class AgentReaper implements Disposable {
  private readonly groups = new Set<number>();
  private helperProcess: ChildProcess | undefined;
  private isDisposed = false;

  constructor(private readonly options: AgentReaperOptions) {}

  /** Watches the process tree of the leader of a group until the result is disposed. */
  watch(group: number): Disposable {
    if (process.platform === 'win32' || this.isDisposed) return toDisposable(() => undefined);
    this.groups.add(group);
    if (this.helperProcess) this.sendLine(`+${group}`);
    else this.startHelper();
    return toDisposable(() => {
      if (this.groups.delete(group)) this.sendLine(`-${group}`);
    });
  }

  /** Ends the helper. Before it exits, it ends all groups that are still watched. */
  dispose(): void {
    this.isDisposed = true;
    this.helperProcess?.stdin?.end();
    this.helperProcess = undefined;
  }

  private startHelper(): void {
    const { file, log } = this.options;
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
    const child = spawn(process.execPath, [file], {
      cwd: '/',
      detached: true,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.helperProcess = child;
    const lose = (): void => {
      if (this.helperProcess === child) this.helperProcess = undefined;
    };
    child.on('error', (error) => {
      log.warn(`Agents may outlive a window that is killed: ${error.message}`);
      lose();
    });
    child.on('exit', lose);
    child.stdin.on('error', lose);
    // The helper must not keep this process alive.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    for (const group of this.groups) this.sendLine(`+${group}`);
  }

  private sendLine(line: string): void {
    this.helperProcess?.stdin?.write(`${line}\n`);
  }
}
