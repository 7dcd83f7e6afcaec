import type { AmplifierEvent } from '../../amplifier/common/events';
import { KeyedQueue } from '../../base/common/async';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { isEditorError, type EditorPort } from '../../editor/common/editorPort';
import type { FileChange } from '../../transcript/common/entries';
import { diffOf } from '../../transcript/common/lineDiff';
import { ChatError } from './chatPorts';
import type { TextBlobs } from './chatStore';
import { FileFacts, textBeforeChange, type TouchedFile } from './fileFacts';
import type { LogRecord, NewRecord } from './logRecord';

export interface ChatFiles {
  readonly editor: EditorPort;
  /** So that the user can undo it. @throws EditorError */
  deleteFile(path: string): Promise<void>;
}

export interface ChangeJournalPorts {
  readonly files: ChatFiles;
  readonly texts: TextBlobs;
  readonly log: Logger;
  readonly record: (record: NewRecord) => void;
  /** `changes` is another list. */
  readonly onDidChange: () => void;
}

/** Null for a file that does not exist, undefined when that is not known: too large, no text, not for peers. */
type Text = string | null | undefined;

interface Tracked {
  /** The id of the text before the conversation touched it. */
  readonly before: Text;
  /** The id of the text that the last turn has left. */
  after: Text;
  change: FileChange | undefined;
}

const maxFileBytes = 5 * 1024 * 1024;
const maxFiles = 500;
/** Of texts that are kept in memory too, in case the disk did not take them, in UTF-16 units. */
const maxMemoryUnits = 16 * 1024 * 1024;

/** What a conversation changes in files: how each was before it was touched, what differs now, and the way back. */
export class ChangeJournal {
  private readonly tracked = new Map<string, Tracked>();
  /** How the files were that this turn has touched, before it did. */
  private turnBases = new Map<string, Text>();
  private readonly facts = new FileFacts();
  private readonly queue = new KeyedQueue();
  private readonly running = new Set<Promise<void>>();
  private readonly memory = new Map<string, string>();
  private memoryUnits = 0;

  constructor(private readonly ports: ChangeJournalPorts) {}

  /** Those that still differ. */
  get changes(): FileChange[] {
    return [...this.tracked.values()].flatMap(({ change }) => change ?? []);
  }

  /** Takes a record of the past. */
  restore(record: LogRecord): void {
    if (record.type === 'snapshot') {
      this.tracked.set(record.path, { before: record.text, after: undefined, change: undefined });
    } else if (record.type === 'changed') {
      for (const { path, after } of record.changes) {
        const tracked = this.tracked.get(path);
        if (tracked) tracked.after = after;
      }
    } else if (record.type === 'fileDecided') {
      this.tracked.delete(record.path);
    }
  }

  /** Resolves when it is known how the file is now. Never rejects. */
  beforeWrite(path: string): Promise<void> {
    return this.track({ path });
  }

  observe(event: AmplifierEvent): void {
    for (const file of this.facts.touchedBy(event)) {
      const tracking = this.track(file);
      this.running.add(tracking);
      void tracking.finally(() => this.running.delete(tracking));
    }
  }

  /** Tells what the turn has changed. Never rejects. */
  async endTurn(turn: number): Promise<void> {
    await Promise.all(this.running);
    const bases = this.turnBases;
    this.turnBases = new Map();
    this.facts.startTurn();
    const changes: (FileChange & { after?: string | null })[] = [];
    for (const [path, base] of bases) {
      const now = await this.read(path);
      const change = changeOf(path, base, now);
      if (!change) continue;
      const after = now === undefined || now === null ? now : this.ports.texts.idOf(now);
      const tracked = this.tracked.get(path);
      if (tracked) tracked.after = after;
      changes.push(after === undefined ? change : { ...change, after });
    }
    if (changes.length > 0) this.ports.record({ type: 'changed', turn, changes });
    await this.refresh();
  }

  /** Looks again at what differs: files change also without the agent. Never rejects. */
  async refresh(): Promise<void> {
    for (const [path, tracked] of [...this.tracked]) {
      const before = await this.textOf(tracked.before);
      const now = await this.read(path);
      const change = changeOf(path, before, now);
      const isOther = tracked.after !== undefined && now !== undefined && this.idOf(now) !== tracked.after;
      tracked.change = change && isOther ? { ...change, state: 'changedSince' } : change;
    }
    this.ports.onDidChange();
  }

  async textBefore(path: string): Promise<Text> {
    const tracked = this.tracked.get(await this.absolute(path));
    return tracked ? await this.textOf(tracked.before) : undefined;
  }

  /** @throws ChatError `notFound`, `changedSince` unless forced, EditorError */
  async revert(requested: string, { force = false } = {}): Promise<void> {
    const path = await this.absolute(requested);
    await Promise.all(this.running);
    await this.queue.run(path, () => this.revertNow(path, force));
    await this.refresh();
  }

  /** What was changed is how it should be: of one file, or of all. */
  async keep(requested?: string): Promise<void> {
    const paths = requested === undefined ? [...this.tracked.keys()] : [await this.absolute(requested)];
    for (const path of paths) this.decide(path, 'kept');
    this.ports.onDidChange();
  }

  private async revertNow(path: string, force: boolean): Promise<void> {
    const { editor } = this.ports.files;
    const tracked = this.tracked.get(path);
    if (!tracked) throw new ChatError('notFound', 'This conversation has not changed the file.');
    const before = await this.textOf(tracked.before);
    if (before === undefined) {
      throw new ChatError(
        'notFound',
        'How the file was before is not known: use the history of your editor or of Git.',
      );
    }
    const now = await this.read(path);
    const isOther = tracked.after !== undefined && (now === undefined || this.idOf(now) !== tracked.after);
    if (isOther && !force) {
      const message = 'The file has changed since the agent wrote it. Reverting it would undo these changes, too.';
      throw new ChatError('changedSince', message);
    }
    if (before !== null) await editor.writeText(path, before, { save: true });
    else if (now !== null) await this.ports.files.deleteFile(path);
    this.decide(path, 'reverted');
  }

  private decide(path: string, decision: 'reverted' | 'kept'): void {
    if (!this.tracked.delete(path)) return;
    // Touched again, it is another change.
    this.turnBases.delete(path);
    this.ports.record({ type: 'fileDecided', path, decision });
  }

  private async track(file: TouchedFile): Promise<void> {
    try {
      const path = await this.ports.files.editor.resolve(file.path);
      await this.queue.run(path, () => this.trackNow(path, file));
    } catch (error) {
      this.ports.log.debug(`A file that an agent touches was not looked at: ${messageOf(error)}`);
    }
  }

  private async trackNow(path: string, file: TouchedFile): Promise<void> {
    if (this.turnBases.has(path)) return;
    const isNew = !this.tracked.has(path);
    if (isNew && this.tracked.size >= maxFiles) return;
    const now = await this.read(path);
    const before = now === undefined ? undefined : textBeforeChange(now, file);
    this.turnBases.set(path, before);
    if (!isNew) return;
    const id = typeof before === 'string' ? await this.keepText(before) : before;
    this.tracked.set(path, { before: id, after: undefined, change: undefined });
    this.ports.record({ type: 'snapshot', path, ...(id === undefined ? {} : { text: id }) });
  }

  private async read(path: string): Promise<Text> {
    try {
      return (await this.ports.files.editor.readText(path, { maxBytes: maxFileBytes })).text;
    } catch (error) {
      return isEditorError(error) && error.code === 'notFound' ? null : undefined;
    }
  }

  private async keepText(text: string): Promise<string> {
    const id = await this.ports.texts.putText(text);
    if (!this.memory.has(id) && this.memoryUnits + text.length <= maxMemoryUnits) {
      this.memory.set(id, text);
      this.memoryUnits += text.length;
    }
    return id;
  }

  private async textOf(id: Text): Promise<Text> {
    if (id === undefined || id === null) return id;
    return this.memory.get(id) ?? (await this.ports.texts.getText(id));
  }

  private idOf(text: string | null): string | null {
    return text === null ? null : this.ports.texts.idOf(text);
  }

  /** A path that is not for peers any more is looked up as it is. */
  private async absolute(path: string): Promise<string> {
    return await this.ports.files.editor.resolve(path).catch(() => path);
  }
}

function changeOf(path: string, before: Text, now: Text): FileChange | undefined {
  if (before === undefined || now === undefined) {
    return { path, change: now === null ? 'deleted' : 'modified', added: 0, removed: 0, state: 'unknown' };
  }
  if (before === now) return undefined;
  const { change, added, removed } = diffOf(path, before, now);
  return { path, change, added, removed, state: 'applied' };
}
