import { hasVariable } from './linuxProcesses';

/**
 * Environment variable inherited by all child processes of an agent. Its value identifies those that left the agent's
 * process group and whose parents have exited. Readable on Linux only.
 */
const variable = 'BACKLINE_AGENT';

export function marked(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [variable]: mark };
}

/** Tells which processes carry a mark. Reads each environment once. */
export class MarkReader {
  private readonly known = new Map<number, boolean>();

  constructor(private readonly mark: string) {}

  isMarked(pid: number): boolean {
    let isMarked = this.known.get(pid);
    if (isMarked === undefined) {
      isMarked = hasVariable(pid, variable, this.mark);
      this.known.set(pid, isMarked);
    }
    return isMarked;
  }
}
