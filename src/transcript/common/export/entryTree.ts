import type { Entry } from '../entries';

/** An entry with what belongs to it, as the steps of a subagent belong to its call. */
export interface EntryNode {
  readonly entry: Entry;
  readonly steps: readonly EntryNode[];
}

/** Deeper ones stand beside each other. */
const maxDepth = 8;

/** In reading order. An entry whose call does not come before it stands at the top level. */
export function entryTree(entries: readonly Entry[]): readonly EntryNode[] {
  const roots: EntryNode[] = [];
  const known = new Map<string, { readonly steps: EntryNode[]; readonly depth: number }>();
  for (const entry of entries) {
    const parent = entry.parent === undefined ? undefined : known.get(entry.parent);
    const isDeepest = parent !== undefined && parent.depth >= maxDepth;
    const steps: EntryNode[] = [];
    (parent?.steps ?? roots).push({ entry, steps });
    known.set(entry.id, isDeepest ? parent : { steps, depth: (parent?.depth ?? 0) + 1 });
  }
  return roots;
}
