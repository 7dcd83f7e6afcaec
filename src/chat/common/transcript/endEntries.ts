import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { EntryOf, FileChange } from '../../../transcript/common/entries';
import { canUndo } from '../../../transcript/common/shownChanges';
import type { EntryWriter } from './entryWriter';
import type { LogRecord, RecordOf } from '../conversation/logRecord';

type End = EntryOf<'end'>;

interface ChangeMark {
  readonly turn: number;
  readonly path: string;
  readonly state: FileChange['state'];
}

/** The entries at the ends of turns. Their file changes are added and updated later. */
export class EndEntries {
  private readonly entryIdByTurn = new Map<number, string>();
  private lastTurn: number | undefined;
  /** The changes that a restore has marked as reverted, and their earlier state, by id of the restore. */
  private readonly changeMarksByRestore = new Map<string, readonly ChangeMark[]>();

  constructor(private readonly writer: EntryWriter) {}

  get lastEnd(): End | undefined {
    return this.lastTurn === undefined ? undefined : this.endOfTurn(this.lastTurn);
  }

  putEnd(end: End): void {
    this.entryIdByTurn.set(end.turn, end.id);
    this.lastTurn = end.turn;
    this.writer.put(end);
  }

  removeLastEnd(): void {
    const { lastEnd } = this;
    if (!lastEnd) return;
    this.writer.remove(lastEnd.id);
    this.entryIdByTurn.delete(lastEnd.turn);
    this.lastTurn = undefined;
  }

  /** Marks the last failure as one before a fork, so that it can't be retried: the fork often has the same prompt as its draft. */
  markAsPast(): void {
    const { lastEnd } = this;
    if (!lastEnd?.failure) return;
    const failure = withoutUndefined({ ...lastEnd.failure, canRetry: undefined, isPast: true });
    this.writer.put({ ...lastEnd, failure });
  }

  applyRecord(record: LogRecord): void {
    switch (record.type) {
      case 'changed':
        this.applyChanges(record);
        break;
      case 'turnReverted':
        this.markTurnReverted(record);
        break;
      case 'fileDecided':
        if (record.decision === 'reverted') this.setChangeState(record.path, 'reverted', () => true);
        break;
      case 'restored':
        this.markChangesRestored(record);
        break;
      case 'undoDone':
        this.keepMarksOf(record);
        break;
      case 'restoreUndone':
        this.markRestoreUndone(record.id);
        break;
      default:
    }
  }

  private applyChanges({ turn, changes }: RecordOf<'changed'>): void {
    const end = this.endOfTurn(turn);
    if (!end) return;
    // This turn's results replace those of earlier turns.
    const paths = new Set(changes.map(({ path }) => path));
    this.setChangeStates(
      (path) => paths.has(path),
      'changedSince',
      (other) => other < turn,
    );
    this.writer.put({ ...end, changes });
  }

  private markTurnReverted({ path, turn }: RecordOf<'turnReverted'>): void {
    this.setChangeState(path, 'reverted', (other) => other === turn);
    this.setChangeState(path, 'changedSince', (other) => other > turn);
    // The file has the same state again as after an earlier turn.
    const before = [...this.entryIdByTurn.keys()].findLast((other) => other < turn && this.hasChange(other, path));
    this.setChangeState(path, 'applied', (other) => other === before);
  }

  /** Marks the changes of restored files as reverted, in the turn of the prompt and in all later turns. */
  private markChangesRestored({ id, paths, turn, undid }: RecordOf<'restored'>): void {
    const restored = new Set(paths);
    const marks: ChangeMark[] = [];
    this.updateChanges((change, of) => {
      const isOtherTurn = undid === 'turn' ? of !== turn : of < turn;
      if (isOtherTurn || !restored.has(change.path) || !canUndo(change)) return change.state;
      marks.push({ turn: of, path: change.path, state: change.state });
      // When the user undoes changes, each is marked when it is done.
      return undid === undefined ? 'reverted' : change.state;
    });
    this.changeMarksByRestore.set(id, marks);
  }

  /** Of an undo of changes, only those in these files were undone. */
  private keepMarksOf({ id, paths }: RecordOf<'undoDone'>): void {
    const done = new Set(paths);
    const marks = this.changeMarksByRestore.get(id) ?? [];
    this.changeMarksByRestore.set(
      id,
      marks.filter(({ path }) => done.has(path)),
    );
  }

  private markRestoreUndone(id: string): void {
    const marks = this.changeMarksByRestore.get(id) ?? [];
    const states = new Map(marks.map(({ path, state, turn }) => [`${turn} ${path}`, state]));
    this.updateChanges((change, of) => states.get(`${of} ${change.path}`) ?? change.state);
  }

  private updateChanges(stateOf: (change: FileChange, turn: number) => FileChange['state']): void {
    for (const turn of this.entryIdByTurn.keys()) {
      const end = this.endOfTurn(turn);
      if (!end?.changes) continue;
      const changes = end.changes.map((change) => ({ ...change, state: stateOf(change, turn) }));
      if (changes.some(({ state }, at) => state !== end.changes?.[at]?.state)) this.writer.put({ ...end, changes });
    }
  }

  private setChangeState(changed: string, state: FileChange['state'], isAffectedTurn: (turn: number) => boolean): void {
    this.setChangeStates((path) => path === changed, state, isAffectedTurn);
  }

  private setChangeStates(
    hasChanged: (path: string) => boolean,
    state: FileChange['state'],
    isAffectedTurn: (turn: number) => boolean,
  ): void {
    const isAffected = (change: FileChange): boolean => hasChanged(change.path) && canUndo(change);
    for (const turn of this.entryIdByTurn.keys()) {
      const end = isAffectedTurn(turn) ? this.endOfTurn(turn) : undefined;
      if (!end?.changes?.some(isAffected)) continue;
      this.writer.put({
        ...end,
        changes: end.changes.map((change) => (isAffected(change) ? { ...change, state } : change)),
      });
    }
  }

  private hasChange(turn: number, path: string): boolean {
    return this.endOfTurn(turn)?.changes?.some((change) => change.path === path && canUndo(change)) === true;
  }

  private endOfTurn(turn: number): End | undefined {
    const id = this.entryIdByTurn.get(turn);
    const entry = id === undefined ? undefined : this.writer.fullContent(id);
    return entry?.kind === 'end' ? entry : undefined;
  }
}
