import type { SessionEvent } from '../../../session/common/sessionEvents';
import { KeyedQueue } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { EditorPort, WriteOptions } from '../../../editor/common/editorPort';
import type { FileChange } from '../../../transcript/common/entries';
import { ToolCallWrites } from './toolCallWrites';
import { ChangeLedger } from './changeLedger';
import { ChatError, type RevertOptions, type TurnTexts } from '../chatPorts';
import type { TextBlobs } from '../chatStore';
import { FileTexts, type FileText, type FileTextId } from './fileTexts';
import type { LogRecord, NewRecord } from '../conversation/logRecord';
import { ShownWrites } from './shownWrites';

export interface ChatFileAccess {
  readonly editor: EditorPort;
  /** Deletes a file so that the user can undo it. @throws EditorError */
  deleteFile(path: string, options: DeleteOptions): Promise<void>;
}

type DeleteOptions = Pick<WriteOptions, 'protectedFiles'>;

interface ChangeJournalPorts {
  readonly files: ChatFileAccess;
  readonly texts: TextBlobs;
  readonly log: Logger;
  readonly record: (record: NewRecord) => void;
  readonly onDidChange: () => void;
  /** Called when the agent has written contents other than its approval showed. */
  readonly onUnexpectedWrite: (path: string) => void;
}

/**
 * Tracks the file changes of a conversation and reverts them. Only restores texts that Backline read itself before a write, never
 * texts that an agent reported.
 */
export class ChangeJournal {
  private readonly fileTexts: FileTexts;
  private readonly ledger: ChangeLedger;
  private readonly toolCallWrites: ToolCallWrites;
  private readonly shownWrites = new ShownWrites();
  private readonly queue = new KeyedQueue();
  /** Texts before running writes through the editor port, by path. */
  private readonly baseByPath = new Map<string, FileTextId>();

  constructor(private readonly ports: ChangeJournalPorts) {
    const { files, log, record } = ports;
    this.fileTexts = new FileTexts(files.editor, ports.texts);
    this.ledger = new ChangeLedger(this.fileTexts, record, (...write) => this.compareWithShown(...write));
    this.toolCallWrites = new ToolCallWrites({
      editor: files.editor,
      texts: this.fileTexts,
      ledger: this.ledger,
      queue: this.queue,
      log,
    });
  }

  get changes(): FileChange[] {
    return this.ledger.changes;
  }

  applyRecord(record: LogRecord): void {
    this.ledger.applyRecord(record);
  }

  /** Stores the text of a file that is about to be written. Never rejects. */
  async beforeWrite(requested: string): Promise<void> {
    await this.runForFile(requested, async (path) => {
      await this.toolCallWrites.recordLateWrites(path);
      this.baseByPath.set(path, await this.fileTexts.storeText(await this.fileTexts.readFile(path)));
    });
  }

  /** Records a write that has finished. Never rejects. */
  async afterWrite(requested: string): Promise<void> {
    await this.runForFile(requested, async (path) => {
      if (!this.baseByPath.has(path)) return;
      await this.ledger.recordWrite({ path, base: this.baseByPath.get(path), isAgentsWork: () => true });
      this.baseByPath.delete(path);
      this.toolCallWrites.handleEditorWrite(path);
    });
    this.ports.onDidChange();
  }

  observeEvent(event: SessionEvent): void {
    this.shownWrites.observeEvent(event);
    this.toolCallWrites.observeEvent(event);
  }

  /** Call before an answer is sent to the agent: changes made until then are not the agent's. Never rejects. */
  async beforeAnswer(approvalId: string): Promise<void> {
    await this.toolCallWrites.beforeAnswer(approvalId);
  }

  /** Records what the turn has changed. Never rejects. */
  async endTurn(turn: number): Promise<void> {
    await this.toolCallWrites.endTurn();
    this.shownWrites.endTurn();
    this.baseByPath.clear();
    await this.ledger.endTurn(turn);
    await this.refresh();
  }

  /** Updates `changes` from the current files, which others may have changed. Never rejects. */
  async refresh(): Promise<void> {
    await this.ledger.refresh();
    this.ports.onDidChange();
  }

  async textBefore(requested: string): Promise<FileText> {
    const path = await this.resolvePath(requested);
    const known = this.ledger.getFile(path);
    return known ? await this.fileTexts.textOf(known.before) : undefined;
  }

  /** Returns a file before and after a turn, with an empty text for a deleted file. Undefined if the earlier text is unknown. */
  async turnTexts(requested: string, turn: number): Promise<TurnTexts | undefined> {
    const path = await this.resolvePath(requested);
    const known = this.ledger.getTurnFile(turn, path);
    const before = await this.fileTexts.textOf(known?.before);
    const after = await this.fileTexts.textOf(known?.after);
    return before === undefined ? undefined : { path, before, after: after === null ? '' : after };
  }

  /** Reverts a file. @throws ChatError `notFound`, `changedSince` unless forced, EditorError */
  async revert(
    requested: string,
    { force = false, turn, protectedFiles = 'refuse' }: RevertOptions = {},
  ): Promise<void> {
    const path = await this.resolvePath(requested);
    await this.queue.run(path, () => this.revertNow(path, { force, turn, protectedFiles }));
    await this.refresh();
  }

  /** Accepts the changes to one file, or to all. */
  async acceptChanges(requested?: string): Promise<void> {
    const paths = requested === undefined ? this.ledger.paths : [await this.resolvePath(requested)];
    for (const path of paths) this.ledger.recordDecision(path, 'kept');
    this.ports.onDidChange();
  }

  private async revertNow(path: string, { force, turn, protectedFiles }: Required<RevertOptions>): Promise<void> {
    const { files } = this.ports;
    const file = turn === undefined ? this.ledger.getFile(path) : this.ledger.getTurnFile(turn, path);
    const scope = turn === undefined ? 'conversation' : 'turn';
    if (!file) throw new ChatError('notFound', `This ${scope} has no known changes to the file.`);
    const before = await this.fileTexts.textOf(file.before);
    if (before === undefined) {
      throw new ChatError(
        'notFound',
        'The previous contents of the file are unknown. Use the Timeline view or Git history.',
      );
    }
    const now = await this.fileTexts.readFile(path);
    const isOther = file.isMixed || now.id === undefined || now.id !== file.after;
    if (isOther && !force) {
      const message = `The file was changed after this ${scope}. Reverting it would undo those changes, too.`;
      throw new ChatError('changedSince', message);
    }
    if (before !== null) await files.editor.writeText(path, before, { save: true, protectedFiles });
    else if (now.text !== null) await files.deleteFile(path, { protectedFiles });
    if (turn === undefined) this.ledger.recordDecision(path, 'reverted');
    else this.ledger.recordTurnReverted(turn, path);
    this.toolCallWrites.setBase(path, file.before);
  }

  private async compareWithShown(path: string, before: FileText, after: FileText): Promise<void> {
    for (const shownPath of this.shownWrites.paths) {
      if ((await this.resolvePath(shownPath)) !== path) continue;
      if (!this.shownWrites.matchesShown(shownPath, before, after)) this.ports.onUnexpectedWrite(path);
    }
  }

  private async runForFile(requested: string, task: (path: string) => Promise<void>): Promise<void> {
    try {
      const path = await this.ports.files.editor.resolve(requested);
      await this.queue.run(path, () => task(path));
    } catch (error) {
      this.ports.log.debug(`Cannot track a file that an agent writes: ${messageOf(error)}`);
    }
  }

  /** Returns the path unchanged if agents may no longer access it. */
  private async resolvePath(path: string): Promise<string> {
    return await this.ports.files.editor.resolve(path).catch(() => path);
  }
}
