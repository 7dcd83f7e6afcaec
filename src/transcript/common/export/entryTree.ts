import type { Entry } from '../entries';

/** An entry with its steps, for example those of a subagent. */
export interface EntryNode {
  readonly entry: Entry;
  readonly steps: readonly EntryNode[];
}

/** Maximum depth of the tree. Deeper steps become siblings. */
const maxDepth = 8;

/** Builds the tree in reading order. An entry whose parent does not precede it becomes a root. */
export function buildEntryTree(entries: readonly Entry[]): readonly EntryNode[] {
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
