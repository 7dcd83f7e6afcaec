import { commandLineOf, hasEnvironmentVariable, listProcesses, userIdOf, type ProcessInfo } from './linuxProcesses';
import { mayOutliveAgent } from './outlivingPrograms';

interface OwnedProcesses {
  /** Pid of the top process. It is always ended, because the user configured it as the agent. */
  readonly leader: number | undefined;
  /** Process groups whose leaders are known to belong to the agent. */
  readonly groups: ReadonlySet<number>;
  readonly isMarked: (pid: number) => boolean;
}

/** A snapshot of all processes, and which of them may be signalled. */
export class ProcessTable {
  private readonly byPid: ReadonlyMap<number, ProcessInfo>;
  private readonly ownAncestors: ReadonlySet<number>;
  private readonly mayOutliveByPid = new Map<number, boolean>();

  constructor(
    private readonly processes: readonly ProcessInfo[],
    private readonly userIdOfProcess = userIdOf,
  ) {
    this.byPid = new Map(processes.map((facts) => [facts.pid, facts]));
    this.ownAncestors = new Set([1, ...this.selfAndAncestors(process.pid)]);
  }

  /** Reads all processes. Returns undefined if they cannot be listed, for example outside Linux. */
  static readCurrent(): ProcessTable | undefined {
    const all = listProcesses();
    return all && new ProcessTable(all);
  }

  descendantGroups(leader: number): number[] {
    const family = new Set([leader]);
    const groups = new Set<number>();
    for (let before = 0; before < family.size;) {
      before = family.size;
      for (const { pid, parentPid, groupId } of this.processes) {
        if (!family.has(parentPid)) continue;
        family.add(pid);
        // Only group leaders are needed, because other children belong to the group of their parent.
        if (family.has(groupId) && groupId !== leader && !this.isProtected(groupId, leader)) groups.add(groupId);
      }
    }
    return [...groups];
  }

  /**
   * Returns arguments for `process.kill`: a negative group id if all processes of the group may be signalled, and
   * otherwise pids. Omits zombies.
   */
  signalTargets({ leader, groups, isMarked }: OwnedProcesses): number[] {
    const living = this.processes.filter(({ isZombie }) => !isZombie);
    const isOurs = ({ pid, groupId }: ProcessInfo): boolean => groups.has(groupId) || isMarked(pid);
    const wholeGroups = new Map<number, boolean>();
    const isWhole = (group: number): boolean => {
      const known = wholeGroups.get(group);
      if (known !== undefined) return known;
      const isLed = groups.has(group) || (this.byPid.has(group) && isMarked(group));
      const members = living.filter((facts) => facts.groupId === group);
      const whole = group > 1 && isLed && !members.some(({ pid }) => this.isProtected(pid, leader));
      wholeGroups.set(group, whole);
      return whole;
    };
    const found = living.filter((facts) => isOurs(facts) && !this.isProtected(facts.pid, leader));
    return [...new Set(found.map(({ pid, groupId }) => (isWhole(groupId) ? -groupId : pid)))];
  }

  private isProtected(pid: number, leader: number | undefined): boolean {
    const facts = this.byPid.get(pid);
    if (!facts) return false;
    const self = this.byPid.get(process.pid);
    if (this.ownAncestors.has(pid) || facts.groupId === self?.groupId || facts.sessionId === self?.sessionId)
      return true;
    const user = this.userIdOfProcess(pid);
    if (user !== undefined && user !== process.getuid?.()) return true;
    for (const current of this.selfAndAncestors(pid)) {
      // The agent did not start the processes above this one.
      if (current === leader || this.ownAncestors.has(current)) return false;
      if (this.mayOutlive(current)) return true;
    }
    return false;
  }

  private mayOutlive(pid: number): boolean {
    let known = this.mayOutliveByPid.get(pid);
    if (known === undefined) {
      known = mayOutliveAgent(commandLineOf(pid), hasEnvironmentVariable(pid, 'ELECTRON_RUN_AS_NODE', '1'));
      this.mayOutliveByPid.set(pid, known);
    }
    return known;
  }

  private selfAndAncestors(pid: number): number[] {
    const chain = new Set<number>();
    for (
      let current = this.byPid.get(pid);
      current && !chain.has(current.pid);
      current = this.byPid.get(current.parentPid)
    ) {
      chain.add(current.pid);
    }
    return [...chain];
  }
}
