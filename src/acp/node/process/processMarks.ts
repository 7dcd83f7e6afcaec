import { hasEnvironmentVariable } from './linuxProcesses';

/** Environment variable that identifies all child processes of an agent, even outside its group. Readable on Linux. */
const markVariable = 'BACKLINE_AGENT';

export function addEnvironmentMark(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [markVariable]: mark };
}

/** Checks which processes have a mark in their environment. Reads each environment once. */
export class EnvironmentMarkReader {
  private readonly isMarkedByPid = new Map<number, boolean>();

  constructor(private readonly mark: string) {}

  hasMark(pid: number): boolean {
    let isMarked = this.isMarkedByPid.get(pid);
    if (isMarked === undefined) {
      isMarked = hasEnvironmentVariable(pid, markVariable, this.mark);
      this.isMarkedByPid.set(pid, isMarked);
    }
    return isMarked;
  }
}
