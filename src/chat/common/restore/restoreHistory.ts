import type { LogRecord, RecordOf } from '../conversation/logRecord';

export type Restore = Omit<RecordOf<'restored'>, 'type' | 'at'> & {
  /** The texts that an undo of changes has left. Undefined if it has not ended yet. */
  readonly left?: RecordOf<'undoDone'>['texts'];
};

/** The restores of a conversation that can be undone. Built only from the records, to be reproducible. */
export class RestoreHistory {
  private readonly restoreById = new Map<string, Restore>();

  /** The last one that can be undone. */
  get last(): Restore | undefined {
    return [...this.restoreById.values()].at(-1);
  }

  /** Undos of changes that were interrupted. */
  get unfinished(): readonly Restore[] {
    return [...this.restoreById.values()].filter(({ left, undid }) => undid !== undefined && left === undefined);
  }

  get(id: string): Restore | undefined {
    return this.restoreById.get(id);
  }

  applyRecord(record: LogRecord): void {
    if (record.type === 'restored') this.restoreById.set(record.id, record);
    else if (record.type === 'undoDone') {
      const restore = this.restoreById.get(record.id);
      if (restore)
        this.restoreById.set(record.id, { ...restore, target: record.target, paths: record.paths, left: record.texts });
    } else if (record.type === 'restoreUndone') this.restoreById.delete(record.id);
  }
}

/** Says to which moment something is restored. */
export function nameOfMoment({
  isInTurn = false,
  turn,
}: {
  readonly isInTurn?: boolean | undefined;
  readonly turn: number;
}): string {
  return isInTurn ? `within turn ${turn}` : `before prompt ${turn}`;
}
