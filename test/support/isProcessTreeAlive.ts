import { listProcesses } from '../../src/acp/node/process/linuxProcesses';
import { isProcessAlive } from '../../src/base/node/isProcessAlive';

/** Whether a process of the tree is running. Ignores zombies. On Windows, checks the leader only. */
export function isProcessTreeAlive(leader: number): boolean {
  const isReachable = isProcessAlive(process.platform === 'win32' ? leader : -leader);
  if (process.platform !== 'linux' || !isReachable) return isReachable;
  // In containers whose init process does not reap orphans, killed grandchildren stay zombies, and signal 0 still finds
  // them.
  return listProcesses()?.some(({ groupId, isZombie }) => groupId === leader && !isZombie) ?? true;
}
