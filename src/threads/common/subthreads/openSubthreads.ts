import type { Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { Entry } from '../../../transcript/common/entries';
import {
  callIdsWithSteps,
  nestedEntryId,
  isSubagentCall,
  nestingProblem,
  SubthreadMapper,
  type SubagentCall,
} from './subthreadEntries';
import type { ThreadWithEntries } from '../threadPorts';

/** The thread from which an entry originates, and the entry's id there. */
export interface EntryOrigin {
  readonly threadId: string;
  readonly entryId: string;
}

/** A subagent's thread, which is read again after changes as long as it is shown. */
interface FollowedSubthread extends Disposable {
  readonly thread: ThreadWithEntries | undefined;
  readonly problem: string | undefined;
  readonly onDidChange: Event<void>;
  start(): Promise<void>;
  showSubthread(callId: string): string | undefined;
  hideSubthread(callId: string): void;
  originOf(entryId: string): EntryOrigin;
}

export interface SubthreadNesting {
  /** Ids of the threads that contain the steps. The outermost thread comes first. */
  readonly chain: readonly string[];
  /** Counts the open subthreads on all levels. */
  readonly shared: { openCount: number };
}

interface OpenSubthreadsDeps {
  readonly scope: SubthreadNesting;
  readonly follow: (threadId: string, scope: SubthreadNesting) => FollowedSubthread;
  readonly onDidChange: () => void;
}

const maxOpen = 30;
const maxSteps = 400;

interface OpenSubthread {
  readonly threadId: string;
  readonly followed: FollowedSubthread;
}

/** The subthreads that are shown inside a thread, as steps of their subagents' calls. */
export class OpenSubthreads implements Disposable {
  private readonly openByCall = new Map<string, OpenSubthread>();
  private readonly mapper = new SubthreadMapper();

  constructor(private readonly deps: OpenSubthreadsDeps) {}

  get size(): number {
    return this.openByCall.size;
  }

  /** Shows a subthread. `entries` are the thread's own entries. Returns a message if the subthread cannot be shown. */
  show(callId: string, entries: readonly Entry[]): string | undefined {
    if (this.openByCall.has(callId)) return undefined;
    const nested = this.findNested(callId);
    if (nested) return nested.followed.showSubthread(nested.entryId);
    const call = entries.find(({ id }) => id === callId);
    if (!call || !isSubagentCall(call)) return 'This call is no longer in the thread.';
    // An exported thread may already contain the steps.
    if (callIdsWithSteps(entries).has(callId)) return undefined;
    const { chain, shared } = this.deps.scope;
    const problem = nestingProblem(call.subthread, chain);
    if (problem !== undefined) return problem;
    if (shared.openCount >= maxOpen)
      return `This tab already shows ${maxOpen} subagents. Close one, or open this subagent’s thread.`;
    shared.openCount++;
    const followed = this.deps.follow(call.subthread, { chain: [...chain, call.subthread], shared });
    this.openByCall.set(callId, { threadId: call.subthread, followed });
    followed.onDidChange(() => this.deps.onDidChange());
    void followed.start();
    return undefined;
  }

  hide(callId: string): void {
    const nested = this.findNested(callId);
    if (nested) nested.followed.hideSubthread(nested.entryId);
    else if (this.close(callId)) this.deps.onDidChange();
  }

  /** Adds the steps of open subthreads to the thread's entries. Closes subthreads whose call has changed. */
  addSteps(entries: readonly Entry[]): readonly Entry[] {
    const calls = new Map(entries.filter(isSubagentCall).map((call) => [call.id, call]));
    for (const [callId, { threadId }] of [...this.openByCall]) {
      if (calls.get(callId)?.subthread !== threadId) this.close(callId);
    }
    if (this.openByCall.size === 0) return entries;
    const ids = new Set(entries.map(({ id }) => id));
    const steps = [...this.openByCall].flatMap(([callId, { followed }]) => {
      const call = calls.get(callId);
      return call ? this.stepsOf(call, followed) : [];
    });
    return [...entries, ...steps.filter(({ id }) => !ids.has(id))];
  }

  /** Returns the origin of a step. Undefined for an entry of the thread itself. */
  originOf(entryId: string): EntryOrigin | undefined {
    const nested = this.findNested(entryId);
    return nested?.followed.originOf(nested.entryId);
  }

  closeAll(): void {
    for (const callId of [...this.openByCall.keys()]) this.close(callId);
  }

  dispose(): void {
    this.closeAll();
  }

  private stepsOf(call: SubagentCall, { problem, thread }: FollowedSubthread): readonly Entry[] {
    const steps = thread ? this.mapper.stepsOf(call, thread.entries, maxSteps) : [];
    if (problem === undefined) return steps;
    return [
      this.mapper.createNotice(call, 'problem', 'warning', `This subagent’s thread can’t be read. ${problem}`),
      ...steps,
    ];
  }

  private findNested(id: string): { readonly followed: FollowedSubthread; readonly entryId: string } | undefined {
    for (const [callId, { followed }] of this.openByCall) {
      const prefix = nestedEntryId(callId, '');
      if (id.startsWith(prefix)) return { followed, entryId: id.slice(prefix.length) };
    }
    return undefined;
  }

  private close(callId: string): boolean {
    const open = this.openByCall.get(callId);
    if (!open) return false;
    this.openByCall.delete(callId);
    this.deps.scope.shared.openCount--;
    open.followed.dispose();
    return true;
  }
}

/**
 * Sorts entries like the known ones, and puts new entries at the end, because steps may appear anywhere. Returns
 * `entries` unchanged if this would change the order of siblings.
 */
export function sortLikeKnownEntries(known: readonly Entry[], entries: readonly Entry[]): readonly Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const knownIds = new Set(known.map(({ id }) => id));
  const kept = known.flatMap(({ id }) => byId.get(id) ?? []);
  const ordered = [...kept, ...entries.filter(({ id }) => !knownIds.has(id))];
  return isSameOrder(ordered, entries) ? ordered : entries;
}

function isSameOrder(one: readonly Entry[], other: readonly Entry[]): boolean {
  const [groups, otherGroups] = [siblings(one), siblings(other)];
  return [...otherGroups].every(([parent, ids]) => ids.every((id, index) => groups.get(parent)?.[index] === id));
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
