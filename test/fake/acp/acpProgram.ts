import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export interface AcpProgramOptions {
  /** `acp-server.js`, or `amplifier-server.js`, with `demo-agent.js` beside it. */
  readonly file: string;
  readonly cwd: string;
  /** The Node.js that runs it; default this one. */
  readonly node?: string;
  readonly args: readonly string[];
}

/** The program that offers an agent to other machines. Stop it. */
export class AcpProgram {
  private child: ChildProcess | undefined;
  private text = '';

  constructor(private readonly options: AcpProgramOptions) {}

  /** What it has printed to stdout and stderr. */
  get output(): string {
    return this.text;
  }

  /** The URL that it has printed. */
  get url(): string {
    return /^ACP agent at (\S+)/mu.exec(this.text)?.[1] ?? '';
  }

  /** The random token that it has printed. */
  get token(): string {
    return /, token (\S+)\)$/mu.exec(this.text)?.[1] ?? '';
  }

  /** @throws Error with what it printed */
  async start(): Promise<void> {
    const { args, cwd, file, node = process.execPath } = this.options;
    const child = spawn(node, [file, ...args], {
      cwd,
      // In the desktop's VS Code this process is Electron.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.text = '';
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => reject(new Error(`the program ended: ${this.text}`)));
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          this.text += text;
          if (this.url !== '') resolve();
        });
      }
    });
  }

  /** In good order by SIGTERM, or as a crash. Resolves to the exit code when the process is gone. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    const { child } = this;
    this.child = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    return child.exitCode;
  }
}
