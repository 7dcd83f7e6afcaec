/** Calls may hold calls of a subagent, which are there only once the outer one is open. */
const maxDepth = 4;
const foldable = 'details.tool, details.thinking, details.summary';

/** Opens or closes all calls, thoughts and summaries that are here, as if the user had clicked each of them. */
export function setAllOpen(root: HTMLElement, isOpen: boolean, depth = maxDepth): void {
  const others = [...root.querySelectorAll<HTMLDetailsElement>(foldable)].filter((details) => details.open !== isOpen);
  for (const details of others) details.querySelector('summary')?.click();
  if (isOpen && others.length > 0 && depth > 1) requestAnimationFrame(() => setAllOpen(root, isOpen, depth - 1));
}
