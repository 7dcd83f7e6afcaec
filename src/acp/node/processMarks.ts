import { commandLineOf, hasVariable, processes } from './linuxProcesses';

/**
 * A variable of the environment, inherited by whatever an agent starts: by its value those are found that have left the
 * agent's process group and whose parents are gone. Only on Linux can other processes' environments be read so.
 */
const variable = 'BACKLINE_AGENT';

/** The environment with the mark in it. */
export function marked(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [variable]: mark };
}

/** Finds the process groups that carry a mark. What a process was started with is read once. */
export class MarkedGroups {
  private readonly known = new Map<number, boolean>();

  constructor(private readonly mark: string) {}

  find(): number[] {
    const members = (processes() ?? []).filter(({ pid, isZombie }) => !isZombie && this.isMarked(pid));
    const spared = new Set(members.filter(({ pid }) => isUsersBrowser(commandLineOf(pid))).map(({ group }) => group));
    return [...new Set(members.map(({ group }) => group))].filter((group) => group > 1 && !spared.has(group));
  }

  private isMarked(pid: number): boolean {
    let isMarked = this.known.get(pid);
    if (isMarked === undefined) {
      isMarked = pid !== process.pid && hasVariable(pid, variable, this.mark);
      this.known.set(pid, isMarked);
    }
    return isMarked;
  }
}

/**
 * Whether it is a browser with a window: an agent may have been the first to open a page, for example to sign in, and the
 * user goes on with it. One that a program drives belongs to the agent.
 */
export function isUsersBrowser([program = '', ...args]: readonly string[]): boolean {
  const name = program.split('/').at(-1) ?? '';
  return browsers.test(name) && !args.some((arg) => driven.test(arg));
}

const browsers =
  /^(google-chrome|chrome|chromium|firefox|brave|microsoft-edge|msedge|opera|vivaldi|epiphany)(-(stable|browser|esr|bin|beta|dev|wrapper))?$/;
const driven = /^--?(headless|remote-debugging|enable-automation|marionette|juggler)/;
