import type { ThreadHead, ThreadRelation } from '../threadPorts';

/** The relations by which a thread is a child of another one, strongest first. Mentions are not among them. */
const parentRelations: readonly ThreadRelation['type'][] = ['subthread', 'fork', 'handoff'];

export interface ParentLink {
  readonly parentId: string;
  readonly type: ThreadRelation['type'];
}

/**
 * Returns the parent of each thread that has one, even if only the parent's file contains the relation. The result has
 * no cycles, even if the files have.
 */
export function findParents(heads: readonly ThreadHead[]): ReadonlyMap<string, ParentLink> {
  const known = new Set(heads.map(({ id }) => id));
  const candidates = new Map<string, ParentLink[]>();
  const add = (childId: string, link: ParentLink): void => {
    if (!known.has(childId) || !known.has(link.parentId) || !parentRelations.includes(link.type)) return;
    const found = candidates.get(childId);
    if (found) found.push(link);
    else candidates.set(childId, [link]);
  };
  for (const { id, relations } of heads) {
    for (const { role, type, threadId } of relations) {
      if (role === 'parent') add(id, { parentId: threadId, type });
      else add(threadId, { parentId: id, type });
    }
  }
  const parents = new Map<string, ParentLink>();
  for (const [childId, found] of candidates) {
    const strength = ({ type }: ParentLink): number => parentRelations.indexOf(type);
    const strongestFirst = found.sort((one, other) => strength(one) - strength(other));
    const parent = strongestFirst.find(({ parentId }) => !isAncestor(childId, parentId, parents));
    if (parent) parents.set(childId, parent);
  }
  return parents;
}

function isAncestor(threadId: string, start: string, parents: ReadonlyMap<string, ParentLink>): boolean {
  for (let id: string | undefined = start; id !== undefined; id = parents.get(id)?.parentId) {
    if (id === threadId) return true;
  }
  return false;
}
