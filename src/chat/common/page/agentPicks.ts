import type { BackendView, ConversationRow } from '../chatView';

type Server = Pick<BackendView, 'source' | 'state' | 'health'>;

/**
 * Returns the agents to choose from: the chosen one first, then the ones used last, then the others in their order. Leaves out
 * servers that never were in use and do not answer, because nobody has set them up. `rows`: the conversations.
 */
export function agentPicks(
  views: readonly BackendView[],
  rows: readonly Pick<ConversationRow, 'backendTitle' | 'updatedAt'>[],
  chosenId: string | undefined,
): readonly BackendView[] {
  const lastUses = new Map<string, number>();
  for (const { backendTitle, updatedAt } of rows)
    lastUses.set(backendTitle, Math.max(updatedAt, lastUses.get(backendTitle) ?? 0));
  const rank = ({ id, title }: BackendView): number => (id === chosenId ? Infinity : (lastUses.get(title) ?? -1));
  return views
    .filter((view) => rank(view) >= 0 || !isSilentServer(view))
    .toSorted((one, other) => (rank(one) === rank(other) ? 0 : rank(other) - rank(one)));
}

function isSilentServer({ health, source, state }: Server): boolean {
  return source === 'server' && (state === 'unavailable' || health?.kind === 'silent');
}

/** The second line of an agent: its problem in one sentence. Commands and addresses are on the page of agents. */
export function agentPickDetail({ problem, source, description }: BackendView): string | undefined {
  if (problem !== undefined) return problem.split(/\n|(?<=\.)\s/)[0];
  return source === 'demo' ? description : undefined;
}
