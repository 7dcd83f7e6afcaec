import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** With this flag, V8 compiles the modules of Node.js itself instead of taking the compiled ones, in each process and worker. */
const execArgv = process.execArgv.filter((argument) => argument !== '--expose-gc');

/** Runs the bench's own bundle again in a role; both sides of a comparison are processes of this same kind, as users have them. */
export class BenchChild {
  private readonly process: ChildProcess;

  constructor(role: string, ...args: string[]) {
    this.process = fork(__filename, [role, ...args], { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  send(message: object): void {
    this.process.send(message);
  }

  /** The next message of the child. @throws Error when it ends or says nothing for 30 s instead */
  async next(): Promise<unknown> {
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(30_000)]);
    const ended = once(this.process, 'exit', { signal }).then(() => {
      throw new Error('A child of the bench ended too early.');
    });
    try {
      const received: unknown[] = await Promise.race([once(this.process, 'message', { signal }), ended]);
      return received[0];
    } finally {
      ended.catch(() => undefined);
      waiting.abort();
    }
  }

  /** The child ends when its channel closes. */
  async stop(): Promise<void> {
    const exited = once(this.process, 'exit');
    this.process.disconnect();
    await exited;
  }
}

/** For the child's side. */
export function tellParent(message: object): void {
  process.send?.(message);
}
