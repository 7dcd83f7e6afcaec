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
import { FileTexts, type Text, type TextId } from './fileTexts';
import type { LogRecord, NewRecord } from '../conversation/logRecord';
import { ShownWrites } from './shownWrites';

export interface ChatFiles {
  readonly editor: EditorPort;
  /** Deletes a file so that the user can undo it. @throws EditorError */
  deleteFile(path: string, options: DeleteOptions): Promise<void>;
}

type DeleteOptions = Pick<WriteOptions, 'protectedFiles'>;

interface ChangeJournalPorts {
  readonly files: ChatFiles;
  readonly texts: TextBlobs;
  readonly log: Logger;
  readonly record: (record: NewRecord) => void;
  /** Called when `changes` has changed. */
  readonly onDidChange: () => void;
  /** Called when the agent has written contents other than its approval showed. */
  readonly onOtherWrite: (path: string) => void;
}

/**
 * Tracks the file changes of a conversation and reverts them. Only restores texts that Backline read itself before a write, never
 * texts that an agent reported.
 */
export class ChangeJournal {
  private readonly texts: FileTexts;
  private readonly ledger: ChangeLedger;
  private readonly calls: ToolCallWrites;
  private readonly shown = new ShownWrites();
  private readonly queue = new KeyedQueue();
  /** Texts before running writes through the editor port, by path. */
  private readonly bases = new Map<string, TextId>();

  constructor(private readonly ports: ChangeJournalPorts) {
    const { files, log, record } = ports;
    this.texts = new FileTexts(files.editor, ports.texts);
    this.ledger = new ChangeLedger(this.texts, record, (path, before, after) => this.written(path, before, after));
    this.calls = new ToolCallWrites({
      editor: files.editor,
      texts: this.texts,
      ledger: this.ledger,
      queue: this.queue,
      log,
    });
  }

  get changes(): FileChange[] {
    return this.ledger.changes;
  }

  restore(record: LogRecord): void {
    this.ledger.restore(record);
  }

  /** Stores the text of a file that is about to be written. Never rejects. */
  async beforeWrite(requested: string): Promise<void> {
    await this.withFile(requested, async (path) => {
      await this.calls.settle(path);
      this.bases.set(path, await this.texts.keep(await this.texts.read(path)));
    });
  }

  /** Records a write that has finished. Never rejects. */
  async afterWrite(requested: string): Promise<void> {
    await this.withFile(requested, async (path) => {
      if (!this.bases.has(path)) return;
      await this.ledger.note({ path, base: this.bases.get(path), isSure: () => true });
      this.bases.delete(path);
      this.calls.writtenByEditor(path);
    });
    this.ports.onDidChange();
  }

  observe(event: SessionEvent): void {
    this.shown.observe(event);
    this.calls.observe(event);
  }

  /** Call before an answer is sent to the agent: changes made until then are not the agent's. Never rejects. */
  async beforeAnswer(approvalId: string): Promise<void> {
    await this.calls.beforeAnswer(approvalId);
  }

  /** Records what the turn has changed. Never rejects. */
  async endTurn(turn: number): Promise<void> {
    await this.calls.endTurn();
    this.shown.endTurn();
    this.bases.clear();
    await this.ledger.endTurn(turn);
    await this.refresh();
  }

  /** Updates `changes` from the current files, which others may have changed. Never rejects. */
  async refresh(): Promise<void> {
    await this.ledger.refresh();
    this.ports.onDidChange();
  }

  async textBefore(requested: string): Promise<Text> {
    const path = await this.absolute(requested);
    const known = this.ledger.get(path);
    return known ? await this.texts.textOf(known.before) : undefined;
  }

  /** Returns a file before and after a turn, with an empty text for a deleted file. Undefined if the earlier text is unknown. */
  async turnTexts(requested: string, turn: number): Promise<TurnTexts | undefined> {
    const path = await this.absolute(requested);
    const known = this.ledger.ofTurn(turn, path);
    const before = await this.texts.textOf(known?.before);
    const after = await this.texts.textOf(known?.after);
    return before === undefined ? undefined : { path, before, after: after === null ? '' : after };
  }

  /** Reverts a file. @throws ChatError `notFound`, `changedSince` unless forced, EditorError */
  async revert(
    requested: string,
    { force = false, turn, protectedFiles = 'refuse' }: RevertOptions = {},
  ): Promise<void> {
    const path = await this.absolute(requested);
    await this.queue.run(path, () => this.revertNow(path, { force, turn, protectedFiles }));
    await this.refresh();
  }

  /** Accepts the changes to one file, or to all. */
  async keep(requested?: string): Promise<void> {
    const paths = requested === undefined ? this.ledger.paths : [await this.absolute(requested)];
    for (const path of paths) this.ledger.decide(path, 'kept');
    this.ports.onDidChange();
  }

  private async revertNow(path: string, { force, turn, protectedFiles }: Required<RevertOptions>): Promise<void> {
    const { files } = this.ports;
    const file = turn === undefined ? this.ledger.get(path) : this.ledger.ofTurn(turn, path);
    const who = turn === undefined ? 'conversation' : 'turn';
    if (!file) throw new ChatError('notFound', `This ${who} has no known changes to the file.`);
    const before = await this.texts.textOf(file.before);
    if (before === undefined) {
      throw new ChatError(
        'notFound',
        'The previous contents of the file are unknown. Use the Timeline view or Git history.',
      );
    }
    const now = await this.texts.read(path);
    const isOther = file.isMixed || now.id === undefined || now.id !== file.after;
    if (isOther && !force) {
      const message = `The file was changed after this ${who}. Reverting it would undo those changes, too.`;
      throw new ChatError('changedSince', message);
    }
    if (before !== null) await files.editor.writeText(path, before, { save: true, protectedFiles });
    else if (now.text !== null) await files.deleteFile(path, { protectedFiles });
    if (turn === undefined) this.ledger.decide(path, 'reverted');
    else this.ledger.revertedTurn(turn, path);
    this.calls.rebase(path, file.before);
  }

  private async written(path: string, before: Text, after: Text): Promise<void> {
    for (const shownPath of this.shown.paths) {
      if ((await this.absolute(shownPath)) !== path) continue;
      if (!this.shown.isAsShown(shownPath, before, after)) this.ports.onOtherWrite(path);
    }
  }

  private async withFile(requested: string, task: (path: string) => Promise<void>): Promise<void> {
    try {
      const path = await this.ports.files.editor.resolve(requested);
      await this.queue.run(path, () => task(path));
    } catch (error) {
      this.ports.log.debug(`Cannot track a file that an agent writes: ${messageOf(error)}`);
    }
  }

  /** Returns the path unchanged if agents may no longer access it. */
  private async absolute(path: string): Promise<string> {
    return await this.ports.files.editor.resolve(path).catch(() => path);
  }
}
