import type { BackendView, ConversationRow } from '../chatView';

/**
 * Returns the agents to choose from: the chosen one first, then the ones used last, then the others in their order. Leaves out
 * servers that never were in use and have not answered, because nobody has set them up. `rows`: the conversations. `shownIds`:
 * the agents that are in the open list already; they stay where they are, so that no row moves under the pointer.
 */
export function agentPicks(
  views: readonly BackendView[],
  rows: readonly Pick<ConversationRow, 'backendTitle' | 'updatedAt'>[],
  chosenId: string | undefined,
  shownIds: readonly string[] = [],
): readonly BackendView[] {
  const lastUses = new Map<string, number>();
  for (const { backendTitle, updatedAt } of rows)
    lastUses.set(backendTitle, Math.max(updatedAt, lastUses.get(backendTitle) ?? 0));
  const rank = ({ id, title }: BackendView): number => (id === chosenId ? Infinity : (lastUses.get(title) ?? -1));
  const shown = shownIds.flatMap((id) => views.filter((view) => view.id === id));
  const others = views
    .filter((view) => !shownIds.includes(view.id) && (rank(view) >= 0 || !isSilentServer(view)))
    .toSorted((one, other) => rank(other) - rank(one));
  return [...shown, ...others];
}

function isSilentServer({ health, source, state }: BackendView): boolean {
  if (source !== 'server') return false;
  return state === 'unavailable' || health?.kind === 'silent' || health?.kind === 'asking';
}

/** The second line of an agent: its problem in one sentence. Commands and addresses are on the page of agents. */
export function agentPickDetail({ problem, source, description }: BackendView): string | undefined {
  if (problem !== undefined) return problem.split(/\n|(?<=\.)\s/)[0];
  return source === 'demo' ? description : undefined;
}
