import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { FileChange } from '../../../transcript/common/entries';
import { diffOf } from '../../../transcript/common/lineDiff';
import type { FileNow, FileTexts, Text, TextId } from './fileTexts';
import type { LogRecord, NewRecord, RecordOf } from '../conversation/logRecord';

interface WrittenFile {
  /** Text before the conversation's first change. Undefined if Backline did not read it; then it cannot be restored. */
  readonly before: TextId;
  /** Text after the agent's last change. */
  readonly after: TextId;
  /** Others changed the file between the agent's changes. Restoring would undo their changes, too. */
  readonly isMixed: boolean;
  readonly change: FileChange | undefined;
}

interface Write {
  readonly path: string;
  /** Text read by Backline right before the write. */
  readonly base: TextId;
  /** Whether the change can only be the agent's. */
  readonly isSure: (now: FileNow) => boolean;
}

/** A file before and after a turn. */
type TurnTexts = Pick<WrittenFile, 'before' | 'after' | 'isMixed'>;

const maxFiles = 500;

/** Records the agent's writes in a conversation, and computes the resulting changes. */
export class ChangeLedger {
  private readonly files = new Map<string, WrittenFile>();
  private readonly snapshots = new Map<string, TextId>();
  /** Files written in the current turn. */
  private turn = new Map<string, TurnTexts>();
  /** Files written in turns that have ended. */
  private readonly turns = new Map<number, Map<string, TurnTexts>>();

  constructor(
    private readonly texts: FileTexts,
    private readonly record: (record: NewRecord) => void,
    /** Called when the agent has apparently written a file. */
    private readonly onWritten: (path: string, before: Text, after: Text) => Promise<void>,
  ) {}

  /** Changes to files that still differ. */
  get changes(): FileChange[] {
    return [...this.files.values()].flatMap(({ change }) => change ?? []);
  }

  get paths(): string[] {
    return [...this.files.keys()];
  }

  get(path: string): WrittenFile | undefined {
    return this.files.get(path);
  }

  ofTurn(turn: number, path: string): TurnTexts | undefined {
    return this.turns.get(turn)?.get(path);
  }

  hasTurnWritten(path: string): boolean {
    return this.turn.has(path);
  }

  /** Applies a record of the log. */
  restore(record: LogRecord): void {
    if (record.type === 'snapshot') {
      this.snapshots.set(record.path, record.text);
    } else if (record.type === 'written') {
      this.restoreWrite(record);
    } else if (record.type === 'changed') {
      const texts = record.texts ?? [];
      const files = texts.map(
        ({ after, before, isMixed = false, path }) => [path, { before, after, isMixed }] as const,
      );
      this.turns.set(record.turn, new Map(files));
      this.turn = new Map();
    } else if (record.type === 'turnReverted') {
      this.takeBack(record.turn, record.path);
    } else if (record.type === 'fileDecided') {
      this.files.delete(record.path);
      this.snapshots.delete(record.path);
      this.turn.delete(record.path);
    }
  }

  /** Records a write that the agent has made or reported. Returns whether the file has changed. */
  async note({ base, isSure, path }: Write): Promise<boolean> {
    const now = await this.texts.read(path);
    if (base !== undefined && base === now.id) return false;
    const known = this.files.get(path);
    // Already recorded in this turn; or, if the earlier text is unknown, unchanged since the agent's last write.
    const noted = base === undefined ? known : this.turn.get(path);
    if (noted && now.id !== undefined && noted.after === now.id) return false;
    if (!now.isDirty) await this.onWritten(path, await this.texts.textOf(base), now.text);
    if (!known && this.files.size >= maxFiles) return true;
    const write = { before: base, after: now.id, isMixed: !isSure(now) };
    if (!known) this.record({ type: 'snapshot', path, ...(base === undefined ? {} : { text: base }) });
    const file = joined(known, write);
    const { before, isMixed } = file;
    const change = changeOf(path, await this.texts.textOf(before), now.text, isMixed);
    this.files.set(path, { ...file, change });
    this.turn.set(path, joined(this.turn.get(path), write));
    this.record({ type: 'written', path, isMixed, ...(now.id === undefined ? {} : { after: now.id }) });
    return true;
  }

  /** Records all changes of the turn, including those recorded before it was resumed. Later writes belong to the next turn. */
  async endTurn(turn: number): Promise<void> {
    const { turn: written } = this;
    if (written.size === 0) return;
    this.turn = new Map();
    const all = new Map(this.turns.get(turn));
    for (const [path, texts] of written) all.set(path, joined(all.get(path), texts));
    const changes: FileChange[] = [];
    for (const [path, texts] of all) {
      const change = await this.changeOfTurn(path, texts);
      if (change) changes.push(change);
      else all.delete(path);
    }
    this.turns.set(turn, all);
    this.record({
      type: 'changed',
      turn,
      changes,
      texts: [...all].map(([path, { after, before, isMixed }]) => ({
        path,
        isMixed,
        ...withoutUndefined({ before, after }),
      })),
    });
  }

  /** Compares again with the current files, which others may have changed. */
  async refresh(): Promise<void> {
    for (const [path, file] of [...this.files]) {
      const now = await this.texts.read(path);
      const isOther = file.isMixed || now.id === undefined || now.id !== file.after;
      const change = changeOf(path, await this.texts.textOf(file.before), now.text, isOther);
      if (this.files.get(path) === file) this.files.set(path, { ...file, change });
    }
  }

  /** Forgets the changes to a file. A later write begins a new change. */
  decide(path: string, decision: 'reverted' | 'kept'): void {
    if (!this.files.delete(path)) return;
    this.turn.delete(path);
    this.record({ type: 'fileDecided', path, decision });
  }

  /** Records that the turn's changes to a file were reverted. */
  revertedTurn(turn: number, path: string): void {
    this.takeBack(turn, path);
    this.record({ type: 'turnReverted', turn, path });
  }

  private takeBack(turn: number, path: string): void {
    const reverted = this.ofTurn(turn, path);
    const file = this.files.get(path);
    this.turns.get(turn)?.delete(path);
    if (!reverted || !file) return;
    this.files.set(path, { ...file, after: reverted.before, change: undefined });
    if (file.before !== reverted.before) return;
    this.files.delete(path);
    this.snapshots.delete(path);
  }

  private restoreWrite({ after, isMixed = false, path }: RecordOf<'written'>): void {
    const known = this.files.get(path);
    // The log lacks the text before this turn: the file was as the last turn left it, or else `isMixed` is set.
    const base = known ? known.after : this.snapshots.get(path);
    this.turn.set(path, joined(this.turn.get(path), { before: base, after, isMixed }));
    this.files.set(path, { before: this.snapshots.get(path), after, isMixed, change: undefined });
  }

  private async changeOfTurn(path: string, { after, before, isMixed }: TurnTexts): Promise<FileChange | undefined> {
    if (before !== undefined && before === after) return undefined;
    const now = await this.texts.read(path);
    const isOther = isMixed || now.id === undefined || now.id !== after;
    return changeOf(path, await this.texts.textOf(before), now.text, isOther);
  }
}

/** Combines two consecutive writes. The result is mixed if others have written in between. */
function joined(first: TurnTexts | undefined, next: TurnTexts): TurnTexts {
  if (!first) return next;
  const isMixed = first.isMixed || next.isMixed || next.before === undefined || next.before !== first.after;
  return { before: first.before, after: next.after, isMixed };
}

function changeOf(path: string, before: Text, now: Text, isOther: boolean): FileChange | undefined {
  if (before === undefined || now === undefined) {
    return { path, change: now === null ? 'deleted' : 'modified', added: 0, removed: 0, state: 'unknown' };
  }
  if (before === now) return undefined;
  const { change, added, removed } = diffOf(path, before, now);
  return { path, change, added, removed, state: isOther ? 'changedSince' : 'applied' };
}
