import { hasVariable } from './linuxProcesses';

/**
 * A variable of the environment, inherited by whatever an agent starts: by its value those are found that have left the
 * agent's process group and whose parents are gone. Only on Linux can other processes' environments be read so.
 */
const variable = 'BACKLINE_AGENT';

/** The environment with the mark in it. */
export function marked(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [variable]: mark };
}

/** Which processes carry a mark. What a process was started with is read once. */
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
