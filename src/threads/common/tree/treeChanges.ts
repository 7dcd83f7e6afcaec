import type { ThreadTree, TreeNode } from './threadTree';

/**
 * Which rows have to be drawn again: those that say something else, and those with other children, whose rows come with
 * them. `all` when the top has changed. Everything else stays as it is, so that nothing flickers.
 */
export function treeChanges(before: ThreadTree, after: ThreadTree): 'all' | readonly string[] {
  if (!isSame(before.roots, after.roots)) return 'all';
  const changed: string[] = [];
  for (const [id, node] of after.nodes) {
    const known = before.nodes.get(id);
    // A new row comes with its parent.
    if (known && !isSameNode(known, node)) changed.push(id);
  }
  return changed;
}

function isSameNode(one: TreeNode, other: TreeNode): boolean {
  if (!isSame(one.children, other.children) || one.parent !== other.parent) return false;
  if (one.kind === 'group') {
    return other.kind === 'group' && one.label === other.label && one.description === other.description;
  }
  if (one.kind === 'problem') {
    return other.kind === 'problem' && JSON.stringify(one.problem) === JSON.stringify(other.problem);
  }
  if (other.kind !== 'thread' || one.tie !== other.tie || one.isUnread !== other.isUnread) return false;
  return one.head === other.head || JSON.stringify(one.head) === JSON.stringify(other.head);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}
