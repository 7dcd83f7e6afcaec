import type { SessionEvent } from '../../../session/common/sessionEvents';
import { Coalescer, KeyedQueue, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { EditorPort, WriteOptions } from '../../../editor/common/editorPort';
import type { FileChange } from '../../../transcript/common/entries';
import { ToolCallWrites } from './toolCallWrites';
import { ChangeLedger } from './changeLedger';
import { ChatError, type RevertOptions, type TurnTexts } from '../chatPorts';
import type { TextBlobs } from '../chatStore';
import { FileTexts, type FileNow, type Text, type TextId } from './fileTexts';
import type { LogRecord, NewRecord } from '../conversation/logRecord';
import { ShownWrites } from './shownWrites';
import { TurnCheckpoint } from './turnCheckpoint';
import type { WriteClaims } from './writeClaims';
import { replaceLines, type Hunk } from '../../../changes/common/review/hunks';
import type { SeenTexts } from '../../../changes/common/review/reviewSource';
import type { WorkspaceCheckpoints } from '../../../changes/common/workspaceCheckpoints';

/** After a tool call, which may have written files that it does not name. */
const sweepDelayMs = 1_000;

export interface ChatFiles {
  readonly editor: EditorPort;
  /** So that the user can undo it. `protectedFiles` as in `WriteOptions`. @throws EditorError */
  deleteFile(path: string, options: DeleteOptions): Promise<void>;
  /** Undefined where the workspace cannot be kept. */
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  /** The absolute path of a file that was saved in an editor of this window. */
  readonly onDidSave: Event<string>;
}

type DeleteOptions = Pick<WriteOptions, 'protectedFiles'>;

interface ChangeJournalPorts {
  readonly files: ChatFiles;
  /** Of all conversations of the window. */
  readonly claims: WriteClaims;
  readonly clock: Clock;
  readonly texts: TextBlobs;
  readonly log: Logger;
  readonly record: (record: NewRecord) => void;
  /** `changes` is another list. */
  readonly onDidChange: () => void;
  /** The agent has written something else into the file than its question has shown. */
  readonly onOtherWrite: (path: string) => void;
}

/**
 * What a conversation changes in files: how each was before it was written, what differs now, and the way back. Only texts
 * that Backline itself has read before a write are ever brought back: not what an agent says that there was.
 */
export class ChangeJournal {
  private readonly texts: FileTexts;
  private readonly ledger: ChangeLedger;
  private readonly calls: ToolCallWrites;
  private readonly checkpoint: TurnCheckpoint;
  private readonly sweepLater: Coalescer;
  private readonly saves: Disposable;
  private readonly shown = new ShownWrites();
  private readonly queue = new KeyedQueue();
  /** Resolves when the changes of the last turn are recorded. */
  private ending: Promise<void> = Promise.resolve();
  /** Of writes that go through the editor port and have begun. */
  private readonly bases = new Map<string, TextId>();

  constructor(private readonly ports: ChangeJournalPorts) {
    const { claims, clock, files, log, record } = ports;
    this.texts = new FileTexts(files.editor, ports.texts);
    this.ledger = new ChangeLedger(this.texts, record, claims, (path, before, after) =>
      this.written(path, before, after),
    );
    const { queue, ledger, texts } = this;
    this.checkpoint = new TurnCheckpoint({
      checkpoints: files.checkpoints,
      editor: files.editor,
      texts,
      ledger,
      queue,
      record,
      log,
    });
    this.sweepLater = new Coalescer(clock, sweepDelayMs, () => void this.sweep());
    this.saves = files.onDidSave((path) => void this.saved(path));
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
    this.checkpoint.restore(record);
  }

  /** Keeps the workspace as the prompt of a turn finds it. Resolves before the agent may write. @throws Error when `signal` fires */
  async beginTurn(turn: number, signal: AbortSignal): Promise<void> {
    await this.ending;
    await this.checkpoint.begin(turn, signal);
  }

  /** Resolves when it is known how the file is now. Never rejects. */
  async beforeWrite(requested: string): Promise<void> {
    await this.withFile(requested, async (path) => {
      await this.calls.settle(path);
      this.bases.set(path, await this.texts.keep(await this.texts.read(path)));
    });
  }

  /** The file has been written. Resolves when that is noted. Never rejects. */
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
    if (event.event === 'tool:post' || event.event === 'tool:error') this.sweepLater.schedule();
  }

  /** The user's answer is about to go to the agent: what was written until now is the user's own. Never rejects. */
  async beforeAnswer(approvalId: string): Promise<void> {
    await this.calls.beforeAnswer(approvalId);
  }

  /** Records what the turn has changed. `isUnfinished`: nobody has recorded it when the turn ended. Never rejects. */
  async endTurn(turn: number, isUnfinished = true): Promise<void> {
    this.sweepLater.dispose();
    this.ending = this.endTurnNow(turn, isUnfinished);
    await this.ending;
  }

  private async endTurnNow(turn: number, isUnfinished: boolean): Promise<void> {
    if (!isUnfinished) this.checkpoint.forget();
    await this.calls.endTurn();
    await this.checkpoint.end(turn);
    this.shown.endTurn();
    this.bases.clear();
    await this.ledger.endTurn(turn);
    await this.refresh();
  }

  /** Looks again at what differs: files change also without the agent. Never rejects. */
  async refresh(): Promise<void> {
    await this.ledger.refresh();
    this.ports.onDidChange();
  }

  async textBefore(requested: string): Promise<Text> {
    const path = await this.absolute(requested);
    const known = this.ledger.get(path);
    return known ? await this.texts.textOf(known.before) : undefined;
  }

  /** What the turn has made of a file; a deleted one is empty. Only what was found before a write is kept. */
  async turnTexts(requested: string, turn: number): Promise<TurnTexts | undefined> {
    const path = await this.absolute(requested);
    const known = this.ledger.ofTurn(turn, path);
    const before = await this.texts.textOf(known?.before);
    const isNow = known !== undefined && (await this.texts.read(path)).id === known.after;
    const after = isNow && known.after !== null ? undefined : await this.texts.textOf(known?.after);
    return before === undefined ? undefined : { path, before, after: after === null ? '' : after };
  }

  /** What the conversation has changed, or one turn of it. @throws ChatError `notFound`, `changedSince` unless forced, EditorError */
  async revert(
    requested: string,
    { force = false, turn, protectedFiles = 'refuse' }: RevertOptions = {},
  ): Promise<void> {
    const path = await this.absolute(requested);
    await this.queue.run(path, () => this.revertNow(path, { force, turn, protectedFiles }));
    await this.refresh();
  }

  /** `ReviewSource.baseline` */
  async baseline(requested: string): Promise<Text> {
    const path = await this.absolute(requested);
    const file = this.ledger.get(path);
    if (!file) return undefined;
    return (
      (await this.ledger.withoutChange(file, await this.texts.read(path))) ?? (await this.texts.textOf(file.before))
    );
  }

  /** @throws ChatError `changedSince` when the file is not what was seen, `notFound` */
  async keepHunk(requested: string, hunk: Hunk, seen: SeenTexts): Promise<void> {
    await this.withSeenFile(requested, seen, async (path, now) => {
      const before = await this.texts.put(replaceLines(seen.baseline, hunk.before, seen.text, hunk.after));
      await this.ledger.rebase(path, { before, after: await this.texts.keep(now) });
    });
    this.ports.onDidChange();
  }

  /** @throws ChatError as `keepHunk`, EditorError */
  async undoHunk(requested: string, hunk: Hunk, seen: SeenTexts): Promise<void> {
    await this.withSeenFile(requested, seen, async (path) => {
      const text = replaceLines(seen.text, hunk.after, seen.baseline, hunk.before);
      // The user has seen these lines, and asks for them.
      await this.ports.files.editor.writeText(path, text, { protectedFiles: 'allow' });
    });
    await this.refresh();
  }

  /** What was changed is how it should be: of one file, or of all. */
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
    if ((await this.texts.textOf(file.before)) === undefined) {
      throw new ChatError(
        'notFound',
        'The previous contents of the file are unknown. Use the Timeline view or Git history.',
      );
    }
    const now = await this.texts.read(path);
    const rebased = await this.ledger.withoutChange(file, now);
    if (rebased === undefined && !force) {
      const message = `The file was changed after this ${who}. Reverting it would undo those changes, too.`;
      throw new ChatError('changedSince', message);
    }
    const text = rebased === undefined ? await this.texts.textOf(file.before) : rebased;
    const rest = turn === undefined ? undefined : await this.withoutTurn(path, now);
    if (typeof text === 'string') await files.editor.writeText(path, text, { save: true, protectedFiles });
    else if (now.text !== null) await files.deleteFile(path, { protectedFiles });
    const after = await this.texts.keep(await this.texts.read(path));
    if (turn === undefined) this.ledger.decide(path, 'reverted');
    else this.ledger.revertedTurn(turn, path, { before: rest, after });
    this.calls.rebase(path, after);
  }

  /** The text before all changes of the conversation, for when those of a turn are undone. */
  private async withoutTurn(path: string, now: FileNow): Promise<TextId> {
    const file = this.ledger.get(path);
    return file && (await this.texts.put(await this.ledger.withoutChange(file, now)));
  }

  private async sweep(): Promise<void> {
    await this.checkpoint.sweep();
    await this.refresh();
  }

  private async saved(requested: string): Promise<void> {
    await this.withFile(requested, async (path) => {
      // The agent's own write is saved by the editor port.
      if (!this.bases.has(path)) await this.checkpoint.savedByOthers(path);
    });
  }

  private async withSeenFile(
    requested: string,
    seen: SeenTexts,
    task: (path: string, now: FileNow) => Promise<void>,
  ): Promise<void> {
    const path = await this.absolute(requested);
    await this.queue.run(path, async () => {
      if (!this.ledger.get(path)) throw new ChatError('notFound', 'There are no agent changes in this file.');
      const now = await this.texts.read(path);
      if (((await this.baseline(path)) ?? '') !== seen.baseline || now.text !== seen.text) {
        throw new ChatError('changedSince', 'The file has changed in the meantime. Try again.');
      }
      await task(path, now);
    });
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
      this.ports.log.debug(`A file that an agent writes was not looked at: ${messageOf(error)}`);
    }
  }

  /** A path that is not for peers any more is looked up as it is. */
  private async absolute(path: string): Promise<string> {
    return await this.ports.files.editor.resolve(path).catch(() => path);
  }

  dispose(): void {
    this.sweepLater.dispose();
    this.saves.dispose();
  }
}
