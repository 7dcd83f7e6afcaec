import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { isProcessAlive } from '../../../base/node/isProcessAlive';

/** Identifies a window in the names of files that all windows share. */
interface WindowOwner {
  readonly pid: number;
  /** Start of the process in seconds since the epoch, which distinguishes processes with the same id. */
  readonly startedAt: number;
  /** Identifies the computer, because home folders can be shared over a network. */
  readonly host: string;
}

export function currentOwner(): WindowOwner {
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  return { pid: process.pid, startedAt: Math.round(performance.timeOrigin / 1000), host };
}

export function formatOwner({ pid, startedAt, host }: WindowOwner): string {
  return `${pid}-${startedAt}-${host}`;
}

/** Reads the start of a file name. */
export function parseOwner(name: string): WindowOwner | undefined {
  const [, pid, startedAt, host] = /^(\d{1,10})-(\d{1,12})-([0-9a-f]{8})(?![0-9a-f])/.exec(name) ?? [];
  if (pid === undefined || startedAt === undefined || host === undefined) return undefined;
  return { pid: Number(pid), startedAt: Number(startedAt), host };
}

/** Whether the window is still running. Undefined for windows on other computers. */
export function isOwnerAlive(owner: WindowOwner, self = currentOwner()): boolean | undefined {
  if (owner.host !== self.host) return undefined;
  return owner.pid === self.pid ? owner.startedAt === self.startedAt : isProcessAlive(owner.pid);
}
