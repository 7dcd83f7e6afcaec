import * as z from 'zod';
import { threadSourceKinds, type ThreadHead } from '../threadPorts';

/** The filters and the grouping of the list. They are stored in the workspace state. */
export const ThreadFilters = z.object({
  /** `workspace`: shows the threads of the workspace first, and all others in one group at the end. */
  scope: z.enum(['workspace', 'all']).catch('workspace'),
  groupBy: z.enum(['day', 'folder']).catch('day'),
  mode: z.string().optional().catch(undefined),
  source: z.enum(threadSourceKinds).optional().catch(undefined),
  onlyChanges: z.boolean().catch(false),
  showArchived: z.boolean().catch(false),
});
export type ThreadFilters = z.infer<typeof ThreadFilters>;

/** Parses stored filters. An invalid field gets its default. */
export function parseStoredFilters(stored: unknown): ThreadFilters {
  return ThreadFilters.catch(() => ThreadFilters.parse({})).parse(stored ?? {});
}

/** Whether the list shows a thread. An unreadable file is only shown if no filter requires a property. */
export function passesFilters(head: ThreadHead, filters: ThreadFilters): boolean {
  const { mode, source, onlyChanges } = filters;
  if (head.problem !== undefined) return mode === undefined && source === undefined && !onlyChanges;
  if (source !== undefined && head.source !== source) return false;
  if (head.isArchived && !filters.showArchived) return false;
  if (onlyChanges && !head.hasChanges) return false;
  return mode === undefined || head.mode === mode;
}

/** Describes the active filters in short texts, for the description of the view. */
export function describeFilters({ mode, source, onlyChanges, showArchived }: ThreadFilters): readonly string[] {
  return [
    ...(mode === undefined ? [] : [`mode ${mode}`]),
    ...(source === undefined ? [] : [sourceLabels[source]]),
    ...(onlyChanges ? ['with changes'] : []),
    ...(showArchived ? ['including archived'] : []),
  ];
}

export const sourceLabels: Record<ThreadHead['source'], string> = {
  local: 'on this machine',
  cli: 'from the Amp account',
  file: 'from opened files',
};
