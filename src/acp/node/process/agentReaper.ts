import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { toDisposable, type Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';

interface AgentReaperOptions {
  /** `dist/agent-reaper.js`; run by this process's own program. */
  readonly file: string;
  readonly log: Logger;
}

/**
 * Ends agents when this process is gone, even when it was killed. A small program beside it does that: it waits for the end
 * of its input, then ends the process groups it was given and what carries their marks. It is started with the first
 * group. Not on Windows, which has no groups.
 */
export class AgentReaper implements Disposable {
  /** The marks of the groups' processes, by the group. */
  private readonly groups = new Map<number, string>();
  private child: ChildProcess | undefined;
  private isDisposed = false;

  constructor(private readonly options: AgentReaperOptions) {}

  /** Until the result is disposed. `mark` is what processes of the group were started with. */
  watch(group: number, mark: string): Disposable {
    if (process.platform === 'win32' || this.isDisposed) return toDisposable(() => undefined);
    this.groups.set(group, mark);
    if (this.child) this.tell(`+${group} ${mark}`);
    else this.start();
    return toDisposable(() => {
      if (this.groups.delete(group)) this.tell(`-${group}`);
    });
  }

  /** Ends the program, and with it what is still watched. */
  dispose(): void {
    this.isDisposed = true;
    this.child?.stdin?.end();
    this.child = undefined;
  }

  private start(): void {
    const { file, log } = this.options;
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
    const child = spawn(process.execPath, [file], {
      cwd: '/',
      detached: true,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.child = child;
    const lose = (): void => {
      if (this.child === child) this.child = undefined;
    };
    child.on('error', (error) => {
      log.warn(`Agents may outlive a window that is killed: ${error.message}`);
      lose();
    });
    child.on('exit', lose);
    child.stdin.on('error', lose);
    // It must not keep this process alive.
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    for (const [watched, mark] of this.groups) this.tell(`+${watched} ${mark}`);
  }

  private tell(line: string): void {
    this.child?.stdin?.write(`${line}\n`);
  }
}
