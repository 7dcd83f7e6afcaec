import * as z from 'zod';
import { threadSourceKinds, type ThreadHead } from '../threadPorts';

/** What the list shows, and how it is arranged. Kept over restarts. */
export const ThreadFilters = z.object({
  /** `workspace`: threads of the workspace first, all others in one group below them. */
  scope: z.enum(['workspace', 'all']).catch('workspace'),
  groupBy: z.enum(['day', 'folder']).catch('day'),
  mode: z.string().optional().catch(undefined),
  source: z.enum(threadSourceKinds).optional().catch(undefined),
  onlyChanges: z.boolean().catch(false),
  showArchived: z.boolean().catch(false),
});
export type ThreadFilters = z.infer<typeof ThreadFilters>;

/** Whatever was kept, as filters; what is not understood counts as not set. */
export function parseFilters(kept: unknown): ThreadFilters {
  return ThreadFilters.catch(() => ThreadFilters.parse({})).parse(kept ?? {});
}

/** A file that cannot be read passes no filter that asks for something: nobody knows what is in it. */
export function passesFilters(head: ThreadHead, filters: ThreadFilters): boolean {
  const { mode, source, onlyChanges } = filters;
  if (head.problem !== undefined) return mode === undefined && source === undefined && !onlyChanges;
  if (source !== undefined && head.source !== source) return false;
  if (head.isArchived && !filters.showArchived) return false;
  if (onlyChanges && !head.hasChanges) return false;
  return mode === undefined || head.mode === mode;
}

/** How many of the filters hide something that is shown by default, for a word beside the list. */
export function filterWords({ mode, source, onlyChanges, showArchived }: ThreadFilters): readonly string[] {
  return [
    ...(mode === undefined ? [] : [`mode ${mode}`]),
    ...(source === undefined ? [] : [sourceWords[source]]),
    ...(onlyChanges ? ['with changes'] : []),
    ...(showArchived ? ['archived too'] : []),
  ];
}

export const sourceWords: Record<ThreadHead['source'], string> = {
  local: 'on this machine',
  cli: 'of the Amp account',
  file: 'from opened files',
};
