import type { FileChange } from '../../transcript/common/entries';
import { diffOf } from '../../transcript/common/lineDiff';
import type { FileNow, FileTexts, Text, TextId } from './fileTexts';
import type { LogRecord, NewRecord } from './logRecord';

export interface WrittenFile {
  /** Before the conversation's first change. Undefined when Backline did not read it then: it cannot be brought back. */
  readonly before: TextId;
  /** After the last change of the agent's. */
  readonly after: TextId;
  /** Somebody else has changed it between the agent's changes: bringing it back would undo that, too. */
  readonly isMixed: boolean;
  readonly change: FileChange | undefined;
}

export interface Write {
  readonly path: string;
  /** Right before the write, as Backline has read it. */
  readonly base: TextId;
  /** Whether what differs now is the agent's work, and nobody else's. */
  readonly isSure: (now: FileNow) => boolean;
}

const maxFiles = 500;

/** The writes of a conversation, each noted when it has happened, and what they come to. */
export class ChangeLedger {
  private readonly files = new Map<string, WrittenFile>();
  private readonly snapshots = new Map<string, TextId>();
  /** How the turn has found each file that it has written, and what it has made of it. */
  private turn = new Map<string, { readonly base: TextId; readonly change: FileChange | undefined }>();

  constructor(
    private readonly texts: FileTexts,
    private readonly record: (record: NewRecord) => void,
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

  hasTurnWritten(path: string): boolean {
    return this.turn.has(path);
  }

  /** Takes a record of the past. */
  restore(record: LogRecord): void {
    if (record.type === 'snapshot') {
      this.snapshots.set(record.path, record.text);
    } else if (record.type === 'written') {
      const { after, isMixed = false, path } = record;
      this.files.set(path, { before: this.snapshots.get(path), after, isMixed, change: undefined });
    } else if (record.type === 'fileDecided') {
      this.files.delete(record.path);
      this.snapshots.delete(record.path);
    }
  }

  /** The agent has written, or says so. Tells whether anything differs. */
  async note({ base, isSure, path }: Write): Promise<boolean> {
    const now = await this.texts.read(path);
    if (base !== undefined && base === now.id) return false;
    const known = this.files.get(path);
    if (known && now.id !== undefined && known.after === now.id) return false;
    if (!known && this.files.size >= maxFiles) return true;
    const isMixed =
      !isSure(now) || (known !== undefined && (known.isMixed || base === undefined || base !== known.after));
    if (!known) this.record({ type: 'snapshot', path, ...(base === undefined ? {} : { text: base }) });
    const file = { before: known ? known.before : base, after: now.id, isMixed };
    const change = changeOf(path, await this.texts.textOf(file.before), now.text, isMixed);
    this.files.set(path, { ...file, change });
    this.record({ type: 'written', path, isMixed, ...(now.id === undefined ? {} : { after: now.id }) });
    await this.noteForTurn(path, base, now.text, isMixed);
    return true;
  }

  /** What the turn has changed, all in all. The next turn begins. */
  endTurn(): FileChange[] {
    const changes = [...this.turn.values()].flatMap(({ change }) => change ?? []);
    this.turn = new Map();
    return changes;
  }

  /** Looks again at what differs: files change also without the agent. */
  async refresh(): Promise<void> {
    for (const [path, file] of [...this.files]) {
      const now = await this.texts.read(path);
      const isOther = file.isMixed || now.id === undefined || now.id !== file.after;
      const change = changeOf(path, await this.texts.textOf(file.before), now.text, isOther);
      if (this.files.get(path) === file) this.files.set(path, { ...file, change });
    }
  }

  /** Whether it was listed. Written again, it is another change. */
  decide(path: string, decision: 'reverted' | 'kept'): boolean {
    if (!this.files.delete(path)) return false;
    this.turn.delete(path);
    this.record({ type: 'fileDecided', path, decision });
    return true;
  }

  private async noteForTurn(path: string, base: TextId, now: Text, isMixed: boolean): Promise<void> {
    const first = this.turn.get(path);
    const from = first ? first.base : base;
    this.turn.set(path, { base: from, change: changeOf(path, await this.texts.textOf(from), now, isMixed) });
  }
}

function changeOf(path: string, before: Text, now: Text, isOther: boolean): FileChange | undefined {
  if (before === undefined || now === undefined) {
    return { path, change: now === null ? 'deleted' : 'modified', added: 0, removed: 0, state: 'unknown' };
  }
  if (before === now) return undefined;
  const { change, added, removed } = diffOf(path, before, now);
  return { path, change, added, removed, state: isOther ? 'changedSince' : 'applied' };
}
