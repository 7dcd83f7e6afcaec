import type { LogRecord, RecordOf } from '../conversation/logRecord';

export type Restore = Omit<RecordOf<'restored'>, 'type' | 'at'>;

/** The restores of a conversation that can be undone. Built only from the records, to be reproducible. */
export class RestoreHistory {
  private readonly restoreById = new Map<string, Restore>();

  get(id: string): Restore | undefined {
    return this.restoreById.get(id);
  }

  applyRecord(record: LogRecord): void {
    if (record.type === 'restored') this.restoreById.set(record.id, record);
    else if (record.type === 'restoreUndone') this.restoreById.delete(record.id);
  }
}
