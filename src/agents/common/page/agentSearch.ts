import { agentGroups, type AgentCard, type AgentGroup } from './agentsApi';

export const groupTitles: Readonly<Record<AgentGroup, string>> = {
  here: 'On This Machine',
  popular: 'Popular',
  others: 'All Others',
};

export interface CardGroup {
  readonly group: AgentGroup;
  readonly cards: readonly AgentCard[];
}

/** The cards that contain all words of the query, by group. Groups without cards are left out. */
export function searchCards(cards: readonly AgentCard[], query: string): readonly CardGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = cards.filter((card) => {
    const text = [card.name, card.description, ...card.facts, card.origin, card.keywords].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return agentGroups
    .map((group) => ({ group, cards: found.filter((card) => card.group === group) }))
    .filter((entry) => entry.cards.length > 0);
}

/** Returns the text for screen readers after agents have changed: one sentence per change, but none for progress. */
export function announcementOfChanges(before: readonly AgentCard[], after: readonly AgentCard[]): string {
  const known = new Map(before.map((card) => [card.key, card]));
  return after
    .flatMap((card) => {
      const old = known.get(card.key);
      const isSame =
        old?.state.kind === card.state.kind && (card.state.kind === 'installing' || old.state.text === card.state.text);
      return !old || isSame ? [] : [`${card.name}: ${card.state.text}.`];
    })
    .join(' ');
}
