import * as z from 'zod/mini';

/** How the user wants to see the list of conversations. The page keeps it. What another version has written is replaced. */
export const ListSettings = z.object({
  grouping: z.catch(z.enum(['state', 'repository', 'agent', 'day']), 'state'),
  /** Whose conversations are shown. What needs input is shown wherever it is. */
  scope: z.catch(z.enum(['everywhere', 'repository', 'workspace']), 'everywhere'),
  showsArchived: z.catch(z.boolean(), false),
  /** Keys of groups that are collapsed, and of groups of stored conversations that are expanded. */
  toggledGroups: z.catch(z.array(z.string()), []),
});
export type ListSettings = z.infer<typeof ListSettings>;

/**
 * Returns the keys of toggled groups after one more was toggled, or toggled back. Drops keys of the same kind as the groups that
 * are shown, but of none of them, for example of days that are long past.
 */
export function toggledAfter(toggled: readonly string[], groupKey: string, shownKeys: readonly string[]): string[] {
  const kindOf = (key: string): string => key.split(' ', 1).join('');
  const kinds = new Set(shownKeys.map(kindOf));
  const kept = toggled.filter((key) => key !== groupKey && (shownKeys.includes(key) || !kinds.has(kindOf(key))));
  return toggled.includes(groupKey) ? kept : [...kept, groupKey];
}
