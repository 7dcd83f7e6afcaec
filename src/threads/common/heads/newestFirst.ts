import type { ThreadHead } from '../threadPorts';

/** By their last prompt; of files of the same thread the one that was written last, of those that can be read if any can. */
export function newestFirst(heads: readonly ThreadHead[]): readonly ThreadHead[] {
  const byId = new Map<string, ThreadHead>();
  for (const head of heads) {
    const known = byId.get(head.id);
    if (!known || isRather(head, known)) byId.set(head.id, head);
  }
  return [...byId.values()].sort((a, b) => b.lastPromptAt - a.lastPromptAt || (a.id < b.id ? 1 : -1));
}

function isRather(head: ThreadHead, known: ThreadHead): boolean {
  const [isBroken, wasBroken] = [head.problem !== undefined, known.problem !== undefined];
  return isBroken === wasBroken ? (head.mtimeMs ?? 0) > (known.mtimeMs ?? 0) : wasBroken;
}
