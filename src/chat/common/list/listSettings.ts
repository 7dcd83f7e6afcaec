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
