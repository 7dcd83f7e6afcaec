import { countWithNoun } from '../../../base/common/countWithNoun';
import type { LogRecord, RecordOf } from '../conversation/logRecord';
import type { EntryWriter } from './entryWriter';

/** The notices about restored files. The user can undo a restore there. */
export class RestoreEntries {
  private readonly entryIdByRestore = new Map<string, string>();
  /** Undos of restores, by their own ids. */
  private readonly undosOfRestores = new Set<string>();

  constructor(private readonly writer: EntryWriter) {}

  applyRecord(record: LogRecord): void {
    if (record.type === 'restored') this.addRestore(record);
    else if (record.type === 'undoDone') this.addUndo(record);
    else if (record.type === 'restoreUndone') this.markUndone(record.id);
  }

  private addRestore({ fork, id, paths, skipped, turn, undid, undoneRestore }: RecordOf<'restored'>): void {
    if (undoneRestore !== undefined) this.undosOfRestores.add(id);
    // It is not known yet which changes can be undone.
    if (undid !== undefined) return;
    const base = this.writer.createBase();
    const files = paths.length === 1 ? '1 file was restored to its' : `${paths.length} files were restored to their`;
    const left = skipped.length > 0 ? ` ${countWithNoun(skipped.length, 'file')} could not be restored.` : '';
    const next = fork === undefined ? '' : ' A new conversation continues from there.';
    const details = skipped.map(({ path, reason }) => `${path}: ${reason}`).join('\n');
    this.writer.put({
      kind: 'notice',
      ...base,
      level: skipped.length > 0 ? 'warning' : 'info',
      text: `${files} state before prompt ${turn}.${left}${next}`,
      ...(details === '' ? {} : { details }),
      restoreId: id,
    });
    this.entryIdByRestore.set(id, base.id);
  }

  /** Adds the notice about changes that the user has undone. */
  private addUndo({ id, paths, target, texts }: RecordOf<'undoDone'>): void {
    const base = this.writer.createBase();
    const isInterrupted = target.length === 0 && texts.length === 0;
    const files = countWithNoun(paths.length, 'file');
    const done = this.undosOfRestores.has(id)
      ? `Undoing the restore has replaced later changes in ${files}.`
      : `The agent’s changes in ${files} were undone.`;
    const text = isInterrupted
      ? `VS Code was closed while changes in ${files} were undone. Some may not be undone.`
      : done;
    const level = isInterrupted ? 'warning' : 'info';
    this.writer.put({ kind: 'notice', ...base, level, text, restoreId: id });
    this.entryIdByRestore.set(id, base.id);
  }

  private markUndone(id: string): void {
    const entry = this.writer.fullContent(this.entryIdByRestore.get(id) ?? '');
    if (entry?.kind !== 'notice') return;
    const { restoreId, ...notice } = entry;
    if (restoreId !== undefined) this.writer.put({ ...notice, text: `${notice.text} The restore was undone.` });
  }
}
