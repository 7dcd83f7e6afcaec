import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { listProcesses } from '../../../scripts/lib/processes.mjs';

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
