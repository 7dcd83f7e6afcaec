import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { FileChange } from '../../../transcript/common/entries';
import { diffOf } from '../../../transcript/common/lineDiff';
import type { ChangedTexts, FileNow, FileTexts, Text, TextId } from './fileTexts';
import type { LogRecord, NewRecord, RecordOf } from '../conversation/logRecord';
import type { WriteClaims } from './writeClaims';

interface WrittenFile {
  /** Before the conversation's first change. Undefined when Backline did not read it then: it cannot be brought back. */
  readonly before: TextId;
  /** After the last change of the agent's. */
  readonly after: TextId;
  /** Somebody else has changed it between the agent's changes: bringing it back would undo that, too. */
  readonly isMixed: boolean;
  readonly change: FileChange | undefined;
}

interface Write {
  readonly path: string;
  /** Right before the write, as Backline has read it. */
  readonly base: TextId;
  /** Whether what differs now is the agent's work, and nobody else's. */
  readonly isSure: (now: FileNow) => boolean;
}

/** A file as a turn has found it, and as it has left it. */
type TurnTexts = Pick<WrittenFile, 'before' | 'after' | 'isMixed'>;

const maxFiles = 5_000;

/** The writes of a conversation, each noted when it has happened, and what they come to. */
export class ChangeLedger {
  private readonly files = new Map<string, WrittenFile>();
  private readonly snapshots = new Map<string, TextId>();
  /** What the turn that runs has written. */
  private turn = new Map<string, TurnTexts>();
  /** Of turns that have ended. */
  private readonly turns = new Map<number, Map<string, TurnTexts>>();

  constructor(
    private readonly texts: FileTexts,
    private readonly record: (record: NewRecord) => void,
    private readonly claims: WriteClaims,
    /** A file was written by the agent, or so it says, from one text to another. */
    private readonly onWritten: (path: string, before: Text, after: Text) => Promise<void>,
  ) {}

  /** Those that still differ. */
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

  /** As the running turn has left the file; undefined when it has not written it. */
  turnText(path: string): TextId {
    return this.turn.get(path)?.after;
  }

  /** Whether another conversation has written this text. */
  isOthersWrite(path: string, text: TextId): boolean {
    return this.claims.isOthers(this, path, text);
  }

  /** Takes a record of the past. */
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
      this.undoTurn(record.turn, record.path, record);
    } else if (record.type === 'rebased') {
      const { after, before, path } = record;
      this.snapshots.set(path, before);
      this.files.set(path, { before, after, isMixed: false, change: undefined });
    } else if (record.type === 'fileDecided') {
      this.files.delete(record.path);
      this.snapshots.delete(record.path);
      this.turn.delete(record.path);
    }
  }

  /** The agent has written, or says so. Tells whether anything differs. */
  async note({ base, isSure, path }: Write): Promise<boolean> {
    const now = await this.texts.read(path);
    if (base !== undefined && base === now.id) return false;
    const known = this.files.get(path);
    // What this turn has noted already; or the file is as the agent has left it, and nobody has seen it otherwise.
    const noted = base === undefined ? known : this.turn.get(path);
    if (noted && now.id !== undefined && noted.after === now.id) return false;
    this.claims.claim(this, path, now.id);
    if (!now.isDirty) await this.onWritten(path, await this.texts.textOf(base), now.text);
    if (!known && this.files.size >= maxFiles) return true;
    const { turn } = this;
    // What others edit later is told apart by this text.
    await this.texts.keep(now);
    const write = { before: base, after: now.id, isMixed: !isSure(now) };
    if (!known) this.record({ type: 'snapshot', path, ...(base === undefined ? {} : { text: base }) });
    const file = await this.joined(known, write);
    const { before, isMixed } = file;
    const change = changeOf(path, await this.texts.textOf(before), now.text, isMixed);
    this.files.set(path, { ...file, change });
    turn.set(path, await this.joined(turn.get(path), write));
    const rebased = known && known.before !== before ? { before } : {};
    const found = known && known.after !== base ? { base, ...(write.isMixed && { isDoubtful: true }) } : {};
    this.record({ type: 'written', path, isMixed, ...withoutUndefined({ after: now.id, ...rebased, ...found }) });
    return true;
  }

  /** How the file would be without the change; undefined when that cannot be told from what others have edited since. */
  async withoutChange({ isMixed, ...texts }: TurnTexts, now: FileNow): Promise<Text> {
    return isMixed ? undefined : await this.texts.rebased(texts, now);
  }

  /** The file has changed from one text to another; what was changed before is as it should be. */
  async rebase(path: string, texts: ChangedTexts): Promise<void> {
    if (texts.before === texts.after) {
      this.decide(path, 'kept');
      return;
    }
    const [before, after] = await Promise.all([texts.before, texts.after].map((id) => this.texts.textOf(id)));
    this.files.set(path, { ...texts, isMixed: false, change: changeOf(path, before, after, false) });
    this.record({ type: 'rebased', path, ...withoutUndefined({ ...texts }) });
  }

  /**
   * Records what the turn has changed, all in all: also what was recorded of it before it was taken up again. The next turn
   * begins with the call.
   */
  async endTurn(turn: number): Promise<void> {
    const { turn: written } = this;
    if (written.size === 0) return;
    this.turn = new Map();
    const all = new Map(this.turns.get(turn));
    for (const [path, texts] of written) all.set(path, await this.joined(all.get(path), texts));
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

  /** Looks again at what differs: files change also without the agent. */
  async refresh(): Promise<void> {
    for (const [path, file] of [...this.files]) {
      const change = await this.changeNow(path, file);
      if (this.files.get(path) === file) this.files.set(path, { ...file, change });
    }
  }

  /** Written again, it is another change. */
  decide(path: string, decision: 'reverted' | 'kept'): void {
    if (!this.files.delete(path)) return;
    this.turn.delete(path);
    this.record({ type: 'fileDecided', path, decision });
  }

  /** What the turn changed in the file was undone. `texts`: what the conversation has changed in it now. */
  revertedTurn(turn: number, path: string, texts: ChangedTexts): void {
    this.undoTurn(turn, path, texts);
    this.record({ type: 'turnReverted', turn, path, ...withoutUndefined({ ...texts }) });
  }

  private undoTurn(turn: number, path: string, texts: Partial<ChangedTexts>): void {
    const reverted = this.ofTurn(turn, path);
    const file = this.files.get(path);
    this.turns.get(turn)?.delete(path);
    if (!reverted || !file) return;
    const { after = reverted.before, before = file.before } = texts;
    this.files.set(path, { ...file, before, after, change: undefined });
    this.snapshots.set(path, before);
    if (before !== after) return;
    this.files.delete(path);
    this.snapshots.delete(path);
  }

  private restoreWrite(record: RecordOf<'written'>): void {
    const { after, before, isDoubtful = false, isMixed = false, path } = record;
    const known = this.files.get(path);
    const left = known ? known.after : this.snapshots.get(path);
    // Without a base of its own the write found what the one before it left, or nobody knows.
    const write =
      record.base === undefined
        ? { before: left, after, isMixed }
        : { before: record.base, after, isMixed: isDoubtful };
    if (before !== undefined) this.snapshots.set(path, before);
    this.turn.set(path, followed(this.turn.get(path), write));
    this.files.set(path, { before: this.snapshots.get(path), after, isMixed, change: undefined });
  }

  private async changeOfTurn(path: string, { after, before, isMixed }: TurnTexts): Promise<FileChange | undefined> {
    if (before !== undefined && before === after) return undefined;
    return await this.changeNow(path, { after, before, isMixed });
  }

  /** What of a change is in the file now. */
  private async changeNow(path: string, texts: TurnTexts): Promise<FileChange | undefined> {
    const now = await this.texts.read(path);
    const before = await this.withoutChange(texts, now);
    if (before !== undefined) return changeOf(path, before, now.text, false);
    return changeOf(path, await this.texts.textOf(texts.before), now.text, true);
  }

  /** Two writes, one after the other, as one. What others wrote in between belongs to the text before, where that is possible. */
  private async joined(first: TurnTexts | undefined, next: TurnTexts): Promise<TurnTexts> {
    const joint = followed(first, next);
    if (!first || !joint.isMixed || first.isMixed || next.isMixed) return joint;
    const between = { id: next.before, text: await this.texts.textOf(next.before) };
    const before = await this.texts.put(await this.texts.rebased(first, between));
    return before === undefined ? joint : { before, after: next.after, isMixed: false };
  }
}

/** Two writes, one after the other, as one: mixed also when somebody else has written in between. */
function followed(first: TurnTexts | undefined, next: TurnTexts): TurnTexts {
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
