import type { ThreadHead, ThreadRelation } from '../threadPorts';

/** What makes a thread a child of another one, the strongest tie first. A mention is none. */
const ties: readonly ThreadRelation['type'][] = ['subthread', 'fork', 'handoff'];

interface Tie {
  readonly parentId: string;
  readonly type: ThreadRelation['type'];
}

/**
 * The parent of each thread that has one here, whichever of the two tells of it. There are no loops, whatever the files
 * say: following parents always ends.
 */
export function familyTies(heads: readonly ThreadHead[]): ReadonlyMap<string, Tie> {
  const known = new Set(heads.map(({ id }) => id));
  const candidates = new Map<string, Tie[]>();
  const add = (childId: string, tie: Tie): void => {
    if (!known.has(childId) || !known.has(tie.parentId) || !ties.includes(tie.type)) return;
    const found = candidates.get(childId);
    if (found) found.push(tie);
    else candidates.set(childId, [tie]);
  };
  for (const { id, relations } of heads) {
    for (const { role, type, threadId } of relations) {
      if (role === 'parent') add(id, { parentId: threadId, type });
      else add(threadId, { parentId: id, type });
    }
  }
  const parents = new Map<string, Tie>();
  for (const [childId, found] of candidates) {
    const strongestFirst = found.sort((one, other) => ties.indexOf(one.type) - ties.indexOf(other.type));
    const parent = strongestFirst.find(({ parentId }) => !leadsTo(childId, parentId, parents));
    if (parent) parents.set(childId, parent);
  }
  return parents;
}

function leadsTo(threadId: string, start: string, parents: ReadonlyMap<string, Tie>): boolean {
  for (let at: string | undefined = start; at !== undefined; at = parents.get(at)?.parentId) {
    if (at === threadId) return true;
  }
  return false;
}
