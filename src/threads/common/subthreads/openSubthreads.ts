import type { Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { Entry } from '../../../transcript/common/entries';
import {
  callsWithSteps,
  inlineId,
  isSubagentCall,
  nestingProblem,
  SubthreadMapper,
  type SubagentCall,
} from './subthreadEntries';
import type { OpenThread } from '../threadPorts';

/** Where an entry comes from that is shown inside another thread. */
export interface EntryOrigin {
  readonly threadId: string;
  readonly entryId: string;
}

/** The thread of a subagent, followed as the one that shows it is. */
interface FollowedSubthread extends Disposable {
  readonly thread: OpenThread | undefined;
  readonly problem: string | undefined;
  readonly onDidChange: Event<void>;
  start(): Promise<void>;
  showSubthread(callId: string): string | undefined;
  hideSubthread(callId: string): void;
  originOf(entryId: string): EntryOrigin;
}

/** What threads that are shown inside each other share. */
export interface SubthreadScope {
  /** The ids of the threads around the steps, the outermost one first. */
  readonly chain: readonly string[];
  /** How many are open in all of them. */
  readonly count: { open: number };
}

interface OpenSubthreadsPorts {
  readonly scope: SubthreadScope;
  readonly follow: (threadId: string, scope: SubthreadScope) => FollowedSubthread;
  readonly onDidChange: () => void;
}

const maxOpen = 30;
const maxSteps = 400;

interface Open {
  readonly threadId: string;
  readonly followed: FollowedSubthread;
}

/** The subagents whose threads are shown inside one thread, by the ids of their calls. */
export class OpenSubthreads implements Disposable {
  private readonly open = new Map<string, Open>();
  private readonly mapper = new SubthreadMapper();

  constructor(private readonly ports: OpenSubthreadsPorts) {}

  get size(): number {
    return this.open.size;
  }

  /** `entries` are those of the thread itself. Returns why it cannot be shown. */
  show(callId: string, entries: readonly Entry[]): string | undefined {
    if (this.open.has(callId)) return undefined;
    const inner = this.innerOf(callId);
    if (inner) return inner.followed.showSubthread(inner.entryId);
    const call = entries.find(({ id }) => id === callId);
    if (!call || !isSubagentCall(call)) return 'This call is no longer in the thread.';
    // A thread that was exported with the steps of its subagents.
    if (callsWithSteps(entries).has(callId)) return undefined;
    const { chain, count } = this.ports.scope;
    const problem = nestingProblem(call.subthread, chain);
    if (problem !== undefined) return problem;
    if (count.open >= maxOpen) {
      return `${maxOpen} subagents are shown in this tab already. Close one of them, or open the thread of this one.`;
    }
    count.open++;
    const followed = this.ports.follow(call.subthread, { chain: [...chain, call.subthread], count });
    this.open.set(callId, { threadId: call.subthread, followed });
    followed.onDidChange(() => this.ports.onDidChange());
    void followed.start();
    return undefined;
  }

  hide(callId: string): void {
    const inner = this.innerOf(callId);
    if (inner) inner.followed.hideSubthread(inner.entryId);
    else if (this.close(callId)) this.ports.onDidChange();
  }

  /** The entries of the thread with the steps of its open subagents. */
  expanded(entries: readonly Entry[]): readonly Entry[] {
    const calls = new Map(entries.filter(isSubagentCall).map((call) => [call.id, call]));
    for (const [callId, { threadId }] of [...this.open]) {
      if (calls.get(callId)?.subthread !== threadId) this.close(callId);
    }
    if (this.open.size === 0) return entries;
    const ids = new Set(entries.map(({ id }) => id));
    const steps = [...this.open].flatMap(([callId, { followed }]) => {
      const call = calls.get(callId);
      return call ? this.stepsOf(call, followed) : [];
    });
    return [...entries, ...steps.filter(({ id }) => !ids.has(id))];
  }

  /** Of an entry that is shown; undefined when it is the thread's own. */
  originOf(entryId: string): EntryOrigin | undefined {
    const inner = this.innerOf(entryId);
    return inner?.followed.originOf(inner.entryId);
  }

  closeAll(): void {
    for (const callId of [...this.open.keys()]) this.close(callId);
  }

  dispose(): void {
    this.closeAll();
  }

  private stepsOf(call: SubagentCall, { problem, thread }: FollowedSubthread): readonly Entry[] {
    const steps = thread ? this.mapper.steps(call, thread.entries, maxSteps) : [];
    if (problem === undefined) return steps;
    return [
      this.mapper.note(call, 'problem', 'warning', `The thread of this subagent cannot be read. ${problem}`),
      ...steps,
    ];
  }

  private innerOf(id: string): { readonly followed: FollowedSubthread; readonly entryId: string } | undefined {
    for (const [callId, { followed }] of this.open) {
      const start = inlineId(callId, '');
      if (id.startsWith(start)) return { followed, entryId: id.slice(start.length) };
    }
    return undefined;
  }

  private close(callId: string): boolean {
    const open = this.open.get(callId);
    if (!open) return false;
    this.open.delete(callId);
    this.ports.scope.count.open--;
    open.followed.dispose();
    return true;
  }
}

/**
 * The entries in the order that a page has been told, with new ones at the end: steps may come anywhere among them. As they
 * are when that would change the order of what stands side by side.
 */
export function inKnownOrder(known: readonly Entry[], entries: readonly Entry[]): readonly Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const knownIds = new Set(known.map(({ id }) => id));
  const kept = known.flatMap(({ id }) => byId.get(id) ?? []);
  const ordered = [...kept, ...entries.filter(({ id }) => !knownIds.has(id))];
  return isSameOrder(ordered, entries) ? ordered : entries;
}

function isSameOrder(one: readonly Entry[], other: readonly Entry[]): boolean {
  const [a, b] = [siblings(one), siblings(other)];
  return [...b].every(([parent, ids]) => ids.every((id, index) => a.get(parent)?.[index] === id));
}

function siblings(entries: readonly Entry[]): ReadonlyMap<string | undefined, readonly string[]> {
  const groups = new Map<string | undefined, string[]>();
  for (const { id, parent } of entries) {
    const group = groups.get(parent);
    if (group) group.push(id);
    else groups.set(parent, [id]);
  }
  return groups;
}
