import type { ThreadTree, TreeNode } from './threadTree';

/**
 * Returns the ids of the rows to refresh, or `all` if the top-level rows have changed. Other rows are not refreshed, so
 * that nothing flickers.
 */
export function findRowsToRefresh(before: ThreadTree, after: ThreadTree): 'all' | readonly string[] {
  if (!isEqual(before.roots, after.roots)) return 'all';
  const changed: string[] = [];
  for (const [id, node] of after.nodes) {
    const known = before.nodes.get(id);
    // A new row is added when its parent is refreshed.
    if (known && !isSameNode(known, node)) changed.push(id);
  }
  return changed;
}

function isSameNode(one: TreeNode, other: TreeNode): boolean {
  if (!isEqual(one.children, other.children) || one.parent !== other.parent) return false;
  if (one.kind === 'group') {
    return other.kind === 'group' && one.label === other.label && one.description === other.description;
  }
  if (one.kind === 'problem') {
    return other.kind === 'problem' && JSON.stringify(one.problem) === JSON.stringify(other.problem);
  }
  if (other.kind !== 'thread' || one.relation !== other.relation || one.isUnread !== other.isUnread) return false;
  return one.head === other.head || JSON.stringify(one.head) === JSON.stringify(other.head);
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}
