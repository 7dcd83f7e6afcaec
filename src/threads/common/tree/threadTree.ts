import { countWithNoun } from '../../../base/common/text/countWithNoun';
import type { SourceProblem, ThreadHead, ThreadRelation } from '../threadPorts';
import { findParents, type ParentLink } from './parents';
import { groupByDay, groupByFolder, type Group } from './grouping';
import { passesFilters, type ThreadFilters } from './threadFilters';
import { createWorkspaceMatcher } from './workspaceThreads';

/** A row of the list. `id` and `children` stay the same, even if the row moves. */
export type TreeNode = GroupNode | ThreadNode | ProblemNode;

interface NodeBase {
  readonly id: string;
  /** Id of the parent row. Undefined for rows at the top level. */
  readonly parent: string | undefined;
  readonly children: readonly string[];
}

export interface GroupNode extends NodeBase {
  readonly kind: 'group';
  readonly label: string;
  readonly description: string | undefined;
  /** Whether the group is expanded by default. */
  readonly isExpanded: boolean;
}

export interface ThreadNode extends NodeBase {
  readonly kind: 'thread';
  readonly head: ThreadHead;
  /** The relation to the parent thread, if the parent is a thread. */
  readonly relation: ThreadRelation['type'] | undefined;
  readonly isUnread: boolean;
}

/** A source that cannot list its threads. */
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
  /** Absolute paths of the workspace folders and their worktrees. */
  readonly folders: readonly string[];
  readonly nowMs: number;
  readonly isUnread: (head: ThreadHead) => boolean;
  readonly problems: readonly SourceProblem[];
}

/** Contains a space, so that it differs from all thread ids. */
const brokenId = 'not readable';

export const emptyTree: ThreadTree = { roots: [], nodes: new Map() };

interface Family {
  readonly head: ThreadHead;
  readonly children: readonly string[];
  /** Time of the last prompt to the thread or one of its descendants. */
  readonly lastPromptAt: number;
  readonly isInWorkspace: boolean;
}

/** Builds the rows of the list: groups and threads. The forks, handoffs and subthreads of a thread are below it. */
export function buildThreadTree(all: readonly ThreadHead[], options: TreeOptions): ThreadTree {
  const { filters, folders, isUnread } = options;
  const shown = all.filter((head) => passesFilters(head, filters));
  const heads = shown.filter(({ problem }) => problem === undefined);
  const parents = findParents(heads);
  const families = familiesOf(heads, parents, createWorkspaceMatcher(all, folders));
  const nodes = new Map<string, TreeNode>();

  const addThread = (id: string, parent: string): void => {
    // Uses a loop, because a chain of handoffs may be too long for recursion.
    for (const pending = [{ id, parent }]; ;) {
      const next = pending.pop();
      const family = next && families.get(next.id);
      if (!next) return;
      if (!family) continue;
      const { head, children } = family;
      const relation = parents.get(head.id)?.type;
      nodes.set(head.id, { kind: 'thread', ...next, children, head, relation, isUnread: isUnread(head) });
      pending.push(...children.map((child) => ({ id: child, parent: head.id })));
    }
  };
  const addGroups = (members: readonly Family[], parent: string | undefined): readonly string[] =>
    grouped(members, options).map(({ key, label, description, isRecent, items }) => {
      const id = parent === undefined ? key : `${parent} ${key}`;
      const children = items.map(({ head }) => head.id);
      nodes.set(id, { kind: 'group', id, parent, children, label, description, isExpanded: isRecent });
      for (const child of children) addThread(child, id);
      return id;
    });

  /** Adds a group at the end. It is expanded only if it is the first group. */
  const addLast = (id: string, label: string, description: string, children: readonly string[]): void => {
    if (children.length === 0) return;
    const isExpanded = roots.length === 0;
    nodes.set(id, { kind: 'group', id, parent: undefined, children, label, description, isExpanded });
    roots.push(id);
  };

  const topLevel = [...families.values()].filter(({ head }) => !parents.has(head.id));
  const hasOthers = filters.scope === 'workspace' && folders.length > 0;
  const own = hasOthers ? topLevel.filter(({ isInWorkspace }) => isInWorkspace) : topLevel;
  const others = hasOthers ? topLevel.filter(({ isInWorkspace }) => !isInWorkspace) : [];
  const roots = [...addGroups(own, undefined)];
  addLast('elsewhere', 'Other folders', countWithNoun(others.length, 'thread'), addGroups(others, 'elsewhere'));
  const broken = shown.filter(({ problem }) => problem !== undefined);
  const noRelation = { children: [], relation: undefined, isUnread: false } as const;
  for (const head of broken) nodes.set(head.id, { kind: 'thread', id: head.id, parent: brokenId, head, ...noRelation });
  const brokenIds = broken.map(({ id }) => id);
  addLast(brokenId, 'Can’t be read', countWithNoun(broken.length, 'file'), brokenIds);
  // If the list is empty, the view shows the problems as its message.
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
  parents: ReadonlyMap<string, ParentLink>,
  isInWorkspace: (head: ThreadHead) => boolean,
): ReadonlyMap<string, Family> {
  const children = new Map<string, ThreadHead[]>();
  const latest = new Map(heads.map(({ id, lastPromptAt }) => [id, lastPromptAt]));
  const inWorkspace = new Set(heads.filter(isInWorkspace).map(({ id }) => id));
  for (const head of heads) {
    const parentId = parents.get(head.id)?.parentId;
    if (parentId !== undefined) children.set(parentId, [...(children.get(parentId) ?? []), head]);
    for (let id = parentId; id !== undefined; id = parents.get(id)?.parentId) {
      latest.set(id, Math.max(latest.get(id) ?? 0, head.lastPromptAt));
      if (inWorkspace.has(head.id)) inWorkspace.add(id);
    }
  }
  return new Map(
    heads.map((head) => {
      const own = (children.get(head.id) ?? []).sort((one, other) => other.lastPromptAt - one.lastPromptAt);
      const family: Family = {
        head,
        children: own.map(({ id }) => id),
        lastPromptAt: latest.get(head.id) ?? head.lastPromptAt,
        isInWorkspace: inWorkspace.has(head.id),
      };
      return [head.id, family];
    }),
  );
}
