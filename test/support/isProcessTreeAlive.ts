import { ProcessTree } from '../../src/acp/node/process/processTree';

/** Whether a process of the tree is running. Ignores zombies. On Windows, checks the leader only. */
export function isProcessTreeAlive(leader: number): boolean {
  return new ProcessTree(leader).signalTargets().length > 0;
}
