import { countOf } from '../../../base/common/countOf';
import type { SourceProblem, ThreadHead, ThreadRelation } from '../threadPorts';
import { familyTies } from './families';
import { groupByDay, groupByFolder, type Group } from './grouping';
import { passesFilters, type ThreadFilters } from './threadFilters';
import { workspaceMatcher } from './workspaceThreads';

/** One row of the list. `id` and `children` are stable names: a row that moves keeps its own. */
export type TreeNode = GroupNode | ThreadNode | ProblemNode;

interface NodeBase {
  readonly id: string;
  /** Undefined at the top. */
  readonly parent: string | undefined;
  readonly children: readonly string[];
}

export interface GroupNode extends NodeBase {
  readonly kind: 'group';
  readonly label: string;
  readonly description: string | undefined;
  /** Until the user has opened or closed it. */
  readonly isOpen: boolean;
}

export interface ThreadNode extends NodeBase {
  readonly kind: 'thread';
  readonly head: ThreadHead;
  /** What it is to its parent, when that is a thread. */
  readonly tie: ThreadRelation['type'] | undefined;
  readonly isUnread: boolean;
}

/** A source that does not say all that it has. */
export interface ProblemNode extends NodeBase {
  readonly kind: 'problem';
  readonly problem: SourceProblem;
}

export interface ThreadTree {
  readonly roots: readonly string[];
  readonly nodes: ReadonlyMap<string, TreeNode>;
}

export interface TreeOptions {
  readonly filters: ThreadFilters;
  /** Absolute, of the workspace, with its worktrees. */
  readonly folders: readonly string[];
  readonly nowMs: number;
  readonly isUnread: (head: ThreadHead) => boolean;
  readonly problems: readonly SourceProblem[];
}

/** With a space: no thread is called so. */
const brokenId = 'not readable';

export const noTree: ThreadTree = { roots: [], nodes: new Map() };

/** A thread with all that came of it. */
interface Family {
  readonly head: ThreadHead;
  readonly children: readonly string[];
  /** When anybody in it was last spoken to. */
  readonly lastPromptAt: number;
  readonly isOfWorkspace: boolean;
}

/** The list as rows: groups, threads in them, and below a thread what was forked off, handed off or begun by it. */
export function threadTree(all: readonly ThreadHead[], options: TreeOptions): ThreadTree {
  const { filters, folders, isUnread } = options;
  const shown = all.filter((head) => passesFilters(head, filters));
  const heads = shown.filter(({ problem }) => problem === undefined);
  const ties = familyTies(heads);
  const families = familiesOf(heads, ties, workspaceMatcher(all, folders));
  const nodes = new Map<string, TreeNode>();

  const addThread = (id: string, parent: string): void => {
    // Not by recursion: a chain of handoffs may be as long as it likes.
    for (const waiting = [{ id, parent }]; ;) {
      const next = waiting.pop();
      const family = next && families.get(next.id);
      if (!next) return;
      if (!family) continue;
      const { head, children } = family;
      const tie = ties.get(head.id)?.type;
      nodes.set(head.id, { kind: 'thread', ...next, children, head, tie, isUnread: isUnread(head) });
      waiting.push(...children.map((child) => ({ id: child, parent: head.id })));
    }
  };
  const addGroups = (members: readonly Family[], parent: string | undefined): readonly string[] =>
    grouped(members, options).map(({ key, label, description, isRecent, items }) => {
      const id = parent === undefined ? key : `${parent} ${key}`;
      const children = items.map(({ head }) => head.id);
      nodes.set(id, { kind: 'group', id, parent, children, label, description, isOpen: isRecent });
      for (const child of children) addThread(child, id);
      return id;
    });

  /** Closed where there is something above it. */
  const addLast = (id: string, label: string, description: string, children: readonly string[]): void => {
    if (children.length === 0) return;
    nodes.set(id, { kind: 'group', id, parent: undefined, children, label, description, isOpen: roots.length === 0 });
    roots.push(id);
  };

  const tops = [...families.values()].filter(({ head }) => !ties.has(head.id));
  const hasOthers = filters.scope === 'workspace' && folders.length > 0;
  const own = hasOthers ? tops.filter(({ isOfWorkspace }) => isOfWorkspace) : tops;
  const others = hasOthers ? tops.filter(({ isOfWorkspace }) => !isOfWorkspace) : [];
  const roots = [...addGroups(own, undefined)];
  addLast('elsewhere', 'Other folders', countOf(others.length, 'thread'), addGroups(others, 'elsewhere'));
  const broken = shown.filter(({ problem }) => problem !== undefined);
  for (const head of broken) {
    nodes.set(head.id, {
      kind: 'thread',
      id: head.id,
      parent: brokenId,
      children: [],
      head,
      tie: undefined,
      isUnread: false,
    });
  }
  const brokenIds = broken.map(({ id }) => id);
  addLast(brokenId, 'Cannot be read', countOf(broken.length, 'file'), brokenIds);
  // An empty list has words of its own.
  if (roots.length > 0) {
    for (const problem of options.problems) {
      const id = `problem ${problem.source}`;
      nodes.set(id, { kind: 'problem', id, parent: undefined, children: [], problem });
      roots.push(id);
    }
  }
  return { roots, nodes };
}

function grouped(members: readonly Family[], { filters, nowMs }: TreeOptions): readonly Group<Family>[] {
  const timeOf = ({ lastPromptAt }: Family): number => lastPromptAt;
  if (filters.groupBy === 'day') return groupByDay(members, timeOf, nowMs);
  return groupByFolder(members, timeOf, ({ head }) => head.folders[0]);
}

function familiesOf(
  heads: readonly ThreadHead[],
  ties: ReturnType<typeof familyTies>,
  isOfWorkspace: (head: ThreadHead) => boolean,
): ReadonlyMap<string, Family> {
  const children = new Map<string, ThreadHead[]>();
  const latest = new Map(heads.map(({ id, lastPromptAt }) => [id, lastPromptAt]));
  const near = new Set(heads.filter(isOfWorkspace).map(({ id }) => id));
  for (const head of heads) {
    const parentId = ties.get(head.id)?.parentId;
    if (parentId !== undefined) children.set(parentId, [...(children.get(parentId) ?? []), head]);
    for (let at = parentId; at !== undefined; at = ties.get(at)?.parentId) {
      latest.set(at, Math.max(latest.get(at) ?? 0, head.lastPromptAt));
      if (near.has(head.id)) near.add(at);
    }
  }
  return new Map(
    heads.map((head) => {
      const own = (children.get(head.id) ?? []).sort((one, other) => other.lastPromptAt - one.lastPromptAt);
      const family: Family = {
        head,
        children: own.map(({ id }) => id),
        lastPromptAt: latest.get(head.id) ?? head.lastPromptAt,
        isOfWorkspace: near.has(head.id),
      };
      return [head.id, family];
    }),
  );
}
