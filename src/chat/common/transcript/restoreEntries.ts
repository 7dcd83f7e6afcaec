import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { nameOfMoment } from '../restore/restoreHistory';
import type { LogRecord, RecordOf } from '../conversation/logRecord';
import type { EntryWriter } from './entryWriter';

interface RestoreNotice {
  readonly entryId: string;
  /** The sentence that follows its text when the restore has been undone. */
  readonly afterUndo: string;
}

/** The notices about restored files. The user can undo a restore there. */
export class RestoreEntries {
  private readonly noticeByRestore = new Map<string, RestoreNotice>();
  /** Undos of restores, by their own ids. */
  private readonly undosOfRestores = new Set<string>();

  constructor(private readonly writer: EntryWriter) {}

  applyRecord(record: LogRecord): void {
    if (record.type === 'restored') this.addRestore(record);
    else if (record.type === 'undoDone') this.addUndo(record);
    else if (record.type === 'restoreUndone') this.markUndone(record.id);
  }

  private addRestore(record: RecordOf<'restored'>): void {
    const { fork, id, paths, skipped, undid, undoneRestore } = record;
    if (undoneRestore !== undefined) this.undosOfRestores.add(id);
    // It is not known yet which changes can be undone.
    if (undid !== undefined) return;
    const base = this.writer.createBase();
    const state = `state ${nameOfMoment(record)}`;
    const files =
      paths.length === 0
        ? 'No file was restored.'
        : paths.length === 1
          ? `1 file was restored to its ${state}.`
          : `${paths.length} files were restored to their ${state}.`;
    const left = skipped.length > 0 ? ` ${countWithNoun(skipped.length, 'file')} could not be restored.` : '';
    const next = fork === undefined ? '' : ' A new conversation continues from there.';
    const details = skipped.map(({ path, reason }) => `${path}: ${reason}`).join('\n');
    this.writer.put({
      kind: 'notice',
      ...base,
      level: skipped.length > 0 ? 'warning' : 'info',
      text: `${files}${left}${next}`,
      ...(details === '' ? {} : { details }),
      restoreId: id,
    });
    this.noticeByRestore.set(id, { entryId: base.id, afterUndo: 'The restore was undone.' });
  }

  /** Adds the notice about changes that the user has undone. */
  private addUndo({ id, paths, target, texts }: RecordOf<'undoDone'>): void {
    const base = this.writer.createBase();
    const isInterrupted = target.length === 0 && texts.length === 0;
    const files = countWithNoun(paths.length, 'file');
    const done = this.undosOfRestores.has(id)
      ? `The restore was undone. This has replaced later changes in ${files}.`
      : `The agent’s changes in ${files} were undone.`;
    const text = isInterrupted
      ? `VS Code was closed while changes in ${files} were undone. Some of them may still be there.`
      : done;
    const level = isInterrupted ? 'warning' : 'info';
    this.writer.put({ kind: 'notice', ...base, level, text, restoreId: id });
    this.noticeByRestore.set(id, { entryId: base.id, afterUndo: 'The changes are there again.' });
  }

  private markUndone(id: string): void {
    const shown = this.noticeByRestore.get(id);
    const entry = shown && this.writer.fullContent(shown.entryId);
    if (!shown || entry?.kind !== 'notice') return;
    const { restoreId, ...notice } = entry;
    if (restoreId !== undefined) this.writer.put({ ...notice, text: `${notice.text} ${shown.afterUndo}` });
  }
}
