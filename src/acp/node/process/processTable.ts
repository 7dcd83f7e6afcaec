import { commandLineOf, hasVariable, processes, userOf, type ProcessFacts } from './linuxProcesses';
import { isSpared } from './sparedPrograms';

/** What belongs to an agent, or to a command of one. */
interface Belongings {
  /** The process at the top. It is never spared for its name: the user has configured it. */
  readonly leader: number | undefined;
  /** Groups whose leaders are known to belong to it. */
  readonly groups: ReadonlySet<number>;
  readonly isMarked: (pid: number) => boolean;
}

/** The processes of one moment, and which of them may be signalled. */
export class ProcessTable {
  private readonly byPid: ReadonlyMap<number, ProcessFacts>;
  private readonly ancestors: ReadonlySet<number>;
  private readonly spared = new Map<number, boolean>();

  constructor(
    private readonly all: readonly ProcessFacts[],
    private readonly userOfProcess = userOf,
  ) {
    this.byPid = new Map(all.map((facts) => [facts.pid, facts]));
    this.ancestors = new Set([1, ...this.chainFrom(process.pid)]);
  }

  /** Undefined where the system does not show its processes, as outside Linux. */
  static read(): ProcessTable | undefined {
    const all = processes();
    return all && new ProcessTable(all);
  }

  /** The groups that descendants of `leader` have made for themselves. */
  groupsBelow(leader: number): number[] {
    const family = new Set([leader]);
    const groups = new Set<number>();
    for (let before = 0; before < family.size;) {
      before = family.size;
      for (const { pid, parent, group } of this.all) {
        if (!family.has(parent)) continue;
        family.add(pid);
        // A child that has not made one yet is in its parent's.
        if (family.has(group) && group !== leader && !this.isProtected(group, leader)) groups.add(group);
      }
    }
    return [...groups];
  }

  /**
   * What to hand to `process.kill`: a negative group where all of it may be signalled, single processes otherwise. Zombies
   * do not count.
   */
  targets({ leader, groups, isMarked }: Belongings): number[] {
    const living = this.all.filter(({ isZombie }) => !isZombie);
    const isOurs = ({ pid, group }: ProcessFacts): boolean => groups.has(group) || isMarked(pid);
    const wholeGroups = new Map<number, boolean>();
    const isWhole = (group: number): boolean => {
      const known = wholeGroups.get(group);
      if (known !== undefined) return known;
      const isLed = groups.has(group) || (this.byPid.has(group) && isMarked(group));
      const members = living.filter((facts) => facts.group === group);
      const whole = group > 1 && isLed && !members.some(({ pid }) => this.isProtected(pid, leader));
      wholeGroups.set(group, whole);
      return whole;
    };
    const found = living.filter((facts) => isOurs(facts) && !this.isProtected(facts.pid, leader));
    return [...new Set(found.map(({ pid, group }) => (isWhole(group) ? -group : pid)))];
  }

  private isProtected(pid: number, leader: number | undefined): boolean {
    const facts = this.byPid.get(pid);
    if (!facts) return false;
    const self = this.byPid.get(process.pid);
    if (this.ancestors.has(pid) || facts.group === self?.group || facts.session === self?.session) return true;
    const user = this.userOfProcess(pid);
    if (user !== undefined && user !== process.getuid?.()) return true;
    for (const current of this.chainFrom(pid)) {
      // Whatever is further up has not been started by the agent.
      if (current === leader || this.ancestors.has(current)) return false;
      if (this.isSpared(current)) return true;
    }
    return false;
  }

  private isSpared(pid: number): boolean {
    let spared = this.spared.get(pid);
    if (spared === undefined) {
      spared = isSpared(commandLineOf(pid), hasVariable(pid, 'ELECTRON_RUN_AS_NODE', '1'));
      this.spared.set(pid, spared);
    }
    return spared;
  }

  /** The process itself, its parent, and so on. */
  private chainFrom(pid: number): number[] {
    const chain = new Set<number>();
    for (
      let current = this.byPid.get(pid);
      current && !chain.has(current.pid);
      current = this.byPid.get(current.parent)
    ) {
      chain.add(current.pid);
    }
    return [...chain];
  }
}
