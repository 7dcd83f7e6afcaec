import { errorCode } from '../common/errors';

/** Whether a process with this ID exists, including processes of other users. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
