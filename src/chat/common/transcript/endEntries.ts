import type { EntryOf, FileChange } from '../../../transcript/common/entries';
import type { EntryWriter } from './entryWriter';
import type { RecordOf } from '../conversation/logRecord';

type End = EntryOf<'end'>;

/** The end entries of turns. Their file changes are added and updated later. */
export class EndEntries {
  private readonly ids = new Map<number, string>();
  private lastTurn: number | undefined;

  constructor(private readonly writer: EntryWriter) {}

  get last(): End | undefined {
    return this.lastTurn === undefined ? undefined : this.of(this.lastTurn);
  }

  put(end: End): void {
    this.ids.set(end.turn, end.id);
    this.lastTurn = end.turn;
    this.writer.put(end);
  }

  removeLast(): void {
    const { last } = this;
    if (!last) return;
    this.writer.remove(last.id);
    this.ids.delete(last.turn);
    this.lastTurn = undefined;
  }

  changed({ turn, changes }: RecordOf<'changed'>): void {
    const end = this.of(turn);
    if (!end) return;
    // The results of older turns are overwritten.
    for (const { path } of changes) this.mark(path, 'changedSince', (other) => other < turn);
    this.writer.put({ ...end, changes });
  }

  reverted(path: string): void {
    this.mark(path, 'reverted', () => true);
  }

  revertedTurn({ path, turn }: RecordOf<'turnReverted'>): void {
    this.mark(path, 'reverted', (other) => other === turn);
    this.mark(path, 'changedSince', (other) => other > turn);
    // The file is back to the state that an earlier turn left it in.
    const before = [...this.ids.keys()].findLast((other) => other < turn && this.changes(other, path));
    this.mark(path, 'applied', (other) => other === before);
  }

  private mark(path: string, state: FileChange['state'], isMeant: (turn: number) => boolean): void {
    for (const turn of this.ids.keys()) {
      const end = isMeant(turn) ? this.of(turn) : undefined;
      if (!end?.changes?.some((change) => isStanding(change, path))) continue;
      this.writer.put({
        ...end,
        changes: end.changes.map((change) => (isStanding(change, path) ? { ...change, state } : change)),
      });
    }
  }

  private changes(turn: number, path: string): boolean {
    return this.of(turn)?.changes?.some((change) => isStanding(change, path)) === true;
  }

  private of(turn: number): End | undefined {
    const id = this.ids.get(turn);
    const entry = id === undefined ? undefined : this.writer.whole(id);
    return entry?.kind === 'end' ? entry : undefined;
  }
}

/** Whether the change is to this file and hasn't been reverted. */
function isStanding({ path: changed, state }: FileChange, path: string): boolean {
  return changed === path && (state === 'applied' || state === 'changedSince');
}
