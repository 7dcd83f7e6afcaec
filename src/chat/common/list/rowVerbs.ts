import type { ConversationRow } from '../chatView';
import { isRunning } from './rowState';

/** What the user can do with a conversation of the list. */
export type RowVerb =
  | 'open'
  | 'openInTab'
  | 'openInNewWindow'
  | 'goToWindow'
  | 'review'
  | 'stop'
  | 'rename'
  | 'pin'
  | 'unpin'
  | 'archive'
  | 'unarchive'
  | 'fork'
  | 'continueWith'
  | 'locateFolder'
  | 'export'
  | 'delete';

/** Those that can be done with several conversations at once. */
const severalVerbs = ['stop', 'pin', 'unpin', 'archive', 'unarchive', 'delete'] as const satisfies readonly RowVerb[];
type SeveralVerb = (typeof severalVerbs)[number];

/** Returns the verbs that fit, in the order of a menu. */
export function verbsOf(row: ConversationRow): readonly RowVerb[] {
  // Backline does not store these.
  if (row.source !== undefined) return ['open', 'export'];
  if (row.remote) return ['open', 'delete'];
  const { elsewhere, isArchived = false, isInOtherWindow = false, isPinned = false } = row;
  const running = isRunning(row);
  const hasFolder = elsewhere?.folder !== undefined;
  const fitting: readonly (readonly [RowVerb, boolean])[] = [
    ['open', true],
    ['openInTab', true],
    ['openInNewWindow', hasFolder && !elsewhere.isGone && !isInOtherWindow],
    ['goToWindow', isInOtherWindow],
    ['review', (row.changes?.files ?? 0) > 0],
    ['stop', running],
    ['rename', true],
    ['pin', !isPinned],
    ['unpin', isPinned],
    ['archive', !isArchived && !running],
    ['unarchive', isArchived],
    ['fork', true],
    ['continueWith', !running],
    ['locateFolder', hasFolder],
    ['export', true],
    ['delete', true],
  ];
  return fitting.filter(([, fits]) => fits).map(([verb]) => verb);
}

/** Returns the verbs that fit all of several conversations. */
export function verbsOfAll(rows: readonly ConversationRow[]): readonly SeveralVerb[] {
  const [first = [], ...others] = rows.map(verbsOf);
  return severalVerbs.filter((verb) => first.includes(verb) && others.every((verbs) => verbs.includes(verb)));
}
