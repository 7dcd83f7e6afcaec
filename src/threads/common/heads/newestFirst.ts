import type { ThreadHead } from '../threadPorts';

/** Sorts by last prompt. If several files contain the same thread, keeps the newest readable one. */
export function newestFirstWithoutDuplicates(heads: readonly ThreadHead[]): readonly ThreadHead[] {
  const byId = new Map<string, ThreadHead>();
  for (const head of heads) {
    const known = byId.get(head.id);
    if (!known || isPreferred(head, known)) byId.set(head.id, head);
  }
  return [...byId.values()].sort((one, other) => other.lastPromptAt - one.lastPromptAt || (one.id < other.id ? 1 : -1));
}

function isPreferred(head: ThreadHead, known: ThreadHead): boolean {
  const [isBroken, wasBroken] = [head.problem !== undefined, known.problem !== undefined];
  return isBroken === wasBroken ? (head.mtimeMs ?? 0) > (known.mtimeMs ?? 0) : wasBroken;
}
