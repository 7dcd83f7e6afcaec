import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface AmplifierProgramOptions {
  /** `amplifier-server.js` with `demo-agent.js` beside it. */
  readonly file: string;
  readonly cwd: string;
  /** The Node.js that runs it; default this one. */
  readonly node?: string;
  /** Default none is asked for. */
  readonly token?: string;
}

/** The embedded Amplifier server as a program of its own, with the demo agent. Stop it. */
export class AmplifierProgram {
  private child: ChildProcess | undefined;
  private port = 0;

  constructor(private readonly options: AmplifierProgramOptions) {}

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.port}`);
  }

  /** At the port it had before, if it was started before. @throws Error with what it printed */
  async start(): Promise<void> {
    const { file, cwd, node = process.execPath, token } = this.options;
    const access = token === undefined ? ['--no-token'] : ['--token', token];
    const child = spawn(node, [file, '--port', String(this.port), ...access], {
      cwd,
      // In the desktop's VS Code this process is Electron.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    let output = '';
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`the server ended: ${output}`)));
      child.once('error', reject);
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          const port = /^Amplifier server at http:\/\/127\.0\.0\.1:(\d+)/mu.exec(output)?.[1];
          if (port === undefined) return;
          this.port = Number(port);
          resolve();
        });
      }
    });
  }

  /** In good order by SIGTERM, or as a crash. Resolves when the process is gone. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
}

/** The program as it ships, in a temporary folder of its own. The caller removes it. Not for tests inside VS Code, which has it. */
export async function buildAmplifierProgram(): Promise<{ readonly file: string; remove(): Promise<void> }> {
  const { build } = await import('esbuild');
  const { amplifierServerBundle } = await import('../../../scripts/lib/bundles/amplifierServer.mjs');
  const { demoAgentBundle } = await import('../../../scripts/lib/bundles/demoAgent.mjs');
  const { agentReaperBundle } = await import('../../../scripts/lib/bundles/agentReaper.mjs');
  const folder = await mkdtemp(join(tmpdir(), 'backline-amplifier-'));
  for (const bundle of [amplifierServerBundle(), demoAgentBundle(), agentReaperBundle()]) {
    await build({ ...bundle, absWorkingDir: process.cwd(), outdir: folder, logLevel: 'warning' });
  }
  return {
    file: join(folder, 'amplifier-server.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
