import type { FileChange } from '../../../transcript/common/entries';
import { countChanges } from '../../../transcript/common/lineDiff';
import type { FileText, FileTextId, TextIdsBeforeAndAfter } from '../changes/fileTexts';

/** A file that the agent has written in the conversation. */
export interface WrittenFile {
  /** Text before the conversation's first change. Undefined if Backline did not read it, so it cannot be restored. */
  readonly before: FileTextId;
  /** Text after the agent's last change. */
  readonly after: FileTextId;
  /** Whether others changed the file between the agent's changes. Restoring would also undo their changes. */
  readonly isMixed: boolean;
  /**
   * The remaining change after each hunk that was undone in an editor, oldest first. Such an undo can itself be undone,
   * so `before` and `after` stay unchanged. These changes are needed to separate later edits of the undone lines.
   */
  readonly changesAfterUndo?: readonly TextIdsBeforeAndAfter[];
  readonly change: FileChange | undefined;
}

/** A file that the agent has written in one turn. */
export type TurnFile = Pick<WrittenFile, 'before' | 'after' | 'isMixed' | 'changesAfterUndo'>;

/** Combines two consecutive writes. The result is marked as mixed if others have written between them. */
export function combineWrites(first: TurnFile | undefined, next: TurnFile): TurnFile {
  if (!first) return next;
  const isMixed = first.isMixed || next.isMixed || next.before === undefined || next.before !== first.after;
  return { before: first.before, after: next.after, isMixed };
}

export function changeOf(path: string, before: FileText, now: FileText, isOther: boolean): FileChange | undefined {
  if (before === undefined || now === undefined) {
    return { path, change: now === null ? 'deleted' : 'modified', added: 0, removed: 0, state: 'unknown' };
  }
  if (before === now) return undefined;
  const change = before === null ? 'created' : now === null ? 'deleted' : 'modified';
  return { path, change, ...countChanges(before, now), state: isOther ? 'changedSince' : 'applied' };
}
