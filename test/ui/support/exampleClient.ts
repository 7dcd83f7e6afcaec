import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import type { Sandbox } from '../../../scripts/lib/vscode/sandbox.mjs';
import { eventually } from '../../support/eventually';

const program = inRoot('examples', 'amp-client', 'client.mjs');

/** What the example client prints, run as a user would. Rejects, with what it printed, when it fails. */
export async function runExampleClient({ env, folder }: Sandbox, ...args: string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [program, ...args], { env, cwd: folder, timeout: 60_000 });
  return (await run).stdout;
}

export interface WatchingClient {
  /** What it printed so far. */
  output(): string;
  stop(): void;
}

/** The example client at `watch`, once it is connected. The caller stops it. */
export async function watchWithExampleClient({ env, folder }: Sandbox): Promise<WatchingClient> {
  const child = spawn(process.execPath, [program, 'watch'], { env, cwd: folder });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const stop = (): void => void child.kill('SIGKILL');
  try {
    await eventually('the connection', () => {
      if (!errors.includes('Waiting for selections')) throw new Error(errors);
    });
  } catch (error) {
    stop();
    throw error;
  }
  return { output: () => output, stop };
}
