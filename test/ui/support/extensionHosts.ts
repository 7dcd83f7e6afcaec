import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { listProcesses } from '../../../scripts/lib/processes.mjs';
import { eventually } from '../../support/eventually';

/** The extension hosts that this process has started. */
export async function extensionHosts(): Promise<number[]> {
  const all = await listProcesses();
  const ours = new Set([process.pid]);
  // Parents have no order among the processes.
  for (let count = 0; count !== ours.size;) {
    count = ours.size;
    for (const { parent, pid } of all) if (ours.has(parent)) ours.add(pid);
  }
  const hosts: number[] = [];
  for (const pid of ours) {
    // It may have ended meanwhile.
    const { stdout } = await promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({
      stdout: '',
    }));
    if (stdout.includes('--type=extensionHost')) hosts.push(pid);
  }
  return hosts;
}

/** Kills the extension hosts that this process has started. Resolves when none is left, and none has come meanwhile. */
export async function endExtensionHosts(): Promise<void> {
  await eventually('the end of the extension hosts', async () => {
    const hosts = await extensionHosts();
    for (const pid of hosts) kill(pid);
    if (hosts.length > 0) throw new Error(`${hosts.join(', ')} were still there`);
  });
}

/** One whose window has been closed may end by itself meanwhile. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
