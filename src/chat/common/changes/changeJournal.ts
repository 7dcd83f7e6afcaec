import type { SessionEvent } from '../../../session/common/sessionEvents';
import { KeyedQueue, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { FolderCheckpoint } from '../../../changes/common/workspaceCheckpoints';
import type { Logger } from '../../../base/common/log';
import type { FileChange } from '../../../transcript/common/entries';
import { ToolCallWrites } from './toolCallWrites';
import { ChangeLedger } from './changeLedger';
import type { ChatFileAccess } from '../chatFileAccess';
import type { RevertOptions, TurnRange, FileChangedByTurns, TurnTexts } from '../chatPorts';
import type { TextBlobs } from '../chatStore';
import { FileReview } from './fileReview';
import { FileTexts, type FileText, type FileTextId } from './fileTexts';
import type { RemainingChange, LogRecord, NewRecord } from '../conversation/logRecord';
import { SavesByOthersTracker } from '../unsaved/savesByOthersTracker';
import { ChangeReverter } from '../restore/changeReverter';
import { UndoJournal } from '../restore/undoJournal';
import { RunningTurnScans } from './runningTurnScans';
import { ApprovalDiffs } from './approvalDiffs';
import { NonTextChanges, type FileStateRestore } from './nonTextChanges';
import { CallActivity, ChangeAuthors } from './changeAuthors';
import { TurnCheckpoint } from './turnCheckpoint';
import { ConversationClaims, type FileTextClaims } from '../writes/fileTextClaims';
import type { AgentWrites } from '../writes/agentWrites';
import { OthersWrites } from '../writes/othersWrites';
import { SharedWrites } from '../writes/sharedWrites';
import { findLaterEdits } from '../restore/findLaterEdits';
import type { FileTrail } from '../restore/fileTrails';

interface ChangeJournalPorts {
  /** Id of the conversation. */
  readonly conversation: string;
  readonly files: ChatFileAccess;
  /** What the conversations of all windows have written. Undefined if only those of this window are known. */
  readonly agentWrites: AgentWrites | undefined;
  /** All conversations of the window share these claims. */
  readonly claims: FileTextClaims;
  readonly clock: Clock;
  readonly texts: TextBlobs;
  readonly log: Logger;
  readonly record: (record: NewRecord) => void;
  readonly onDidChange: () => void;
  /** Called when an agent has written other contents than its approval had shown. */
  readonly onUnexpectedWrite: (path: string) => void;
}

/**
 * Tracks the file changes of a conversation and reverts them. Only restores texts that Backline has read before a
 * write, and never texts that an agent has reported.
 */
export class ChangeJournal {
  readonly review: FileReview;
  readonly states: NonTextChanges;
  private readonly fileTexts: FileTexts;
  private readonly record: (record: NewRecord) => void;
  readonly sharedWrites: SharedWrites;
  private readonly reverter: ChangeReverter;
  readonly undoJournal: UndoJournal;
  private readonly ledger: ChangeLedger;
  private readonly toolCallWrites: ToolCallWrites;
  readonly authors: ChangeAuthors;
  readonly callActivity = new CallActivity();
  private readonly turnCheckpoint: TurnCheckpoint;
  private readonly runningTurnScans: RunningTurnScans;
  private readonly savesByOthersTracker: SavesByOthersTracker;
  private readonly approvalDiffs = new ApprovalDiffs();
  private readonly queue = new KeyedQueue();
  /** Texts before writes that are in progress through the editor port, by path. */
  private readonly textIdBeforeWriteByPath = new Map<string, FileTextId>();
  private readonly revertingPaths = new Set<string>();
  /** Resolves when the changes of the last turn are recorded. */
  private lastTurnRecording: Promise<void> = Promise.resolve();

  constructor(private readonly ports: ChangeJournalPorts) {
    const { claims, clock, files, log } = ports;
    const record = (added: NewRecord): void => {
      ports.record(added);
      this.sharedWrites.shareRecord(added);
    };
    this.record = record;
    this.fileTexts = new FileTexts(files, ports.texts);
    const { checkpoints, editor } = files;
    const own = new ConversationClaims(claims);
    const undoWrites = new SharedWrites({ ...ports, checkpoints, editor, fileTexts: this.fileTexts, own });
    this.sharedWrites = undoWrites;
    this.ledger = new ChangeLedger(this.fileTexts, record, own, (...write) => this.compareWithApproval(...write));
    this.states = new NonTextChanges({ checkpoints, claims: own, undoWrites, record });
    this.authors = new ChangeAuthors(record);
    const { authors, callActivity: calls, fileTexts: texts, ledger, queue, states } = this;
    this.review = new FileReview({
      editor,
      fileTexts: texts,
      ledger,
      states,
      undoWrites,
      queue,
      resolvePath: (path) => this.resolveUnlessChanged(path),
      onDidChange: ports.onDidChange,
      refresh: (path) => this.refresh(new Set([path])),
    });
    this.turnCheckpoint = new TurnCheckpoint({
      ...ports,
      checkpoints,
      editor,
      texts,
      ledger,
      states,
      authors,
      calls,
      othersWrites: new OthersWrites({ ownClaims: own, readOtherWindows: () => undoWrites.readOtherWindows() }),
      queue,
      record,
    });
    this.runningTurnScans = new RunningTurnScans(clock, () => this.scan());
    const isAgentsWrite = (path: string): boolean => this.textIdBeforeWriteByPath.has(path);
    this.savesByOthersTracker = new SavesByOthersTracker({
      clock,
      files,
      fileTexts: texts,
      turnCheckpoint: this.turnCheckpoint,
      resolvePath: (path) => this.resolvePath(path),
      isOwnWrite: (path) => isAgentsWrite(path) || this.revertingPaths.has(path),
      isAgentsWrite,
      runForFile: (path, task) => this.runForFile(path, task),
    });
    this.toolCallWrites = new ToolCallWrites({
      editor,
      texts,
      ledger,
      isScanned: (path) => this.turnCheckpoint.covers(path),
      queue,
      log,
    });
    const { review, toolCallWrites, turnCheckpoint } = this;
    this.reverter = new ChangeReverter({
      authors: this.authors,
      files,
      fileTexts: texts,
      ledger,
      states,
      review,
      turnCheckpoint,
      toolCallWrites,
      undoWrites,
      record,
    });
    this.undoJournal = new UndoJournal({
      ...ports,
      checkpoints,
      deleteFile: (...deletion) => files.deleteFile(...deletion),
      editor,
      fileTexts: texts,
      undoWrites,
      record,
      remainingChanges: () => this.remainingChanges,
    });
  }

  get changes(): FileChange[] {
    return this.authors.addTo(this.states.mergeWithTextChanges(this.ledger.changes));
  }

  applyRecord(record: LogRecord): void {
    this.ledger.applyRecord(record);
    this.states.applyRecord(record);
    this.authors.applyRecord(record);
    this.turnCheckpoint.applyRecord(record);
  }

  /** The remaining changes of all files. */
  get remainingChanges(): RemainingChange[] {
    return this.ledger.remainingChanges;
  }

  /** Returns those of the files that others have changed, too. Never rejects. */
  async pathsEditedByOthers(
    trails: ReadonlyMap<string, FileTrail>,
    textBefore: (path: string) => Promise<FileText>,
    folders: readonly FolderCheckpoint[],
  ): Promise<ReadonlySet<string>> {
    const { checkpoints } = this.ports.files;
    return await findLaterEdits({ checkpoints, fileTexts: this.fileTexts }, trails, textBefore, folders);
  }

  /** Returns the changes that remain after these records of a conversation. */
  remainingChangesAfter(records: readonly LogRecord[]): RemainingChange[] {
    const own = new ConversationClaims(this.ports.claims);
    const ignore = (): undefined => undefined;
    const ledger = new ChangeLedger(this.fileTexts, ignore, own, () => Promise.resolve());
    for (const record of records) ledger.applyRecord(record);
    return ledger.remainingChanges;
  }

  /** Resolves when the changes of the last turn are recorded. */
  async whenTurnRecorded(): Promise<void> {
    await this.lastTurnRecording;
  }

  /** Replaces the remaining changes of files that another conversation reviews now, or after a restore of files. */
  async replaceChanges(files: readonly RemainingChange[]): Promise<void> {
    this.ledger.replaceChanges(files);
    await this.refresh();
  }

  /** Takes a checkpoint before the prompt of a turn is sent. @throws Error when `signal` fires */
  async beginTurn(turn: number, signal: AbortSignal): Promise<void> {
    await this.lastTurnRecording;
    await this.sharedWrites.claimForOtherWindows();
    await this.turnCheckpoint.begin(turn, signal);
  }

  /** Stores the text of a file that is about to be written. Never rejects. */
  async beforeWrite(requestedPath: string): Promise<void> {
    await this.runForFile(requestedPath, async (path) => {
      await this.toolCallWrites.recordLateWrites(path);
      this.textIdBeforeWriteByPath.set(
        path,
        await this.fileTexts.storeText(await this.fileTexts.readWithUnsavedText(path)),
      );
    });
  }

  /** Records what a failed write has written. Never rejects. */
  async afterFailedWrite(requestedPath: string): Promise<void> {
    const path = await this.resolvePath(requestedPath);
    // A file without a text, such as one in another encoding, is refused: nothing was written.
    const { text } = await this.fileTexts.readWithUnsavedText(path);
    if (text === undefined && this.textIdBeforeWriteByPath.get(path) === undefined) {
      this.textIdBeforeWriteByPath.delete(path);
    }
    await this.afterWrite(path);
  }

  /** Records a write that has finished. `replaced` is the text that it has replaced, if known. Never rejects. */
  async afterWrite(requestedPath: string, replaced?: string): Promise<void> {
    await this.runForFile(requestedPath, async (path) => {
      if (!this.textIdBeforeWriteByPath.has(path)) return;
      const stored = this.textIdBeforeWriteByPath.get(path);
      // Others may have changed the file after it was read.
      const base = replaced === undefined ? stored : await this.fileTexts.storeTextNotFromDisk(replaced);
      const callId = this.toolCallWrites.callWriting(path);
      const isWritten = await this.ledger.recordWrite({ path, base, callId, isAgentsWork: () => true });
      this.textIdBeforeWriteByPath.delete(path);
      if (isWritten) this.toolCallWrites.handleEditorWrite(path);
    });
    this.ports.onDidChange();
  }

  observeEvent(event: SessionEvent): void {
    this.approvalDiffs.observeEvent(event);
    this.callActivity.observeEvent(event);
    this.toolCallWrites.observeEvent(event);
    this.runningTurnScans.observeEvent(event);
  }

  /** Call before an answer is sent to the agent, because earlier changes are not the agent's. Never rejects. */
  async beforeAnswer(approvalId: string): Promise<void> {
    await this.toolCallWrites.beforeAnswer(approvalId);
  }

  /**
   * Records the changes of the turn. `isUnrecorded`: no window has recorded them yet. An agent that is being stopped can
   * still write until `whenAgentStopped` resolves. That promise must not reject. Never rejects.
   */
  async endTurn(turn: number, isUnrecorded = true, whenAgentStopped?: Promise<void>): Promise<void> {
    this.runningTurnScans.end();
    this.lastTurnRecording = this.recordTurn(turn, isUnrecorded, whenAgentStopped);
    await this.lastTurnRecording;
  }

  private async recordTurn(turn: number, isUnrecorded: boolean, whenAgentStopped?: Promise<void>): Promise<void> {
    if (!isUnrecorded) this.turnCheckpoint.forget();
    await this.toolCallWrites.endTurn();
    await whenAgentStopped;
    await this.sharedWrites.claimForOtherWindows(this.turnCheckpoint);
    await this.turnCheckpoint.end(turn);
    await this.toolCallWrites.afterLastScan();
    this.approvalDiffs.endTurn();
    this.textIdBeforeWriteByPath.clear();
    await this.states.refresh();
    await this.ledger.endTurn(turn, (changes) => this.states.mergeWithTextChangesOfTurn(turn, changes));
    await this.refresh();
  }

  /** Compares the changes of all files, or of the given ones, with the current files. Never rejects. */
  async refresh(paths?: ReadonlySet<string>): Promise<void> {
    await Promise.all([this.ledger.refresh(paths), this.states.refresh(paths)]);
    this.ports.onDidChange();
  }

  async textBefore(requestedPath: string): Promise<FileText> {
    const path = await this.resolveUnlessChanged(requestedPath);
    const known = this.ledger.getFile(path);
    return known ? await this.fileTexts.textOf(known.before) : undefined;
  }

  /**
   * Returns the texts of a file before and after a turn. A deleted file has an empty text. Undefined if the earlier
   * text is unknown.
   */
  async turnTexts(requestedPath: string, turn: number): Promise<TurnTexts | undefined> {
    // An earlier version may have recorded it by the path of a link.
    const isRecorded = this.ledger.getTurnFile(turn, requestedPath) !== undefined;
    const path = isRecorded ? requestedPath : await this.resolvePath(requestedPath);
    const known = this.ledger.getTurnFile(turn, path);
    const before = await this.fileTexts.textOf(known?.before);
    const isCurrent = known !== undefined && (await this.fileTexts.readWithUnsavedText(path)).id === known.after;
    const after = isCurrent && known.after !== null ? undefined : await this.fileTexts.textOf(known?.after);
    return before === undefined ? undefined : { path, before, after: after === null ? '' : after };
  }

  filesOfTurns(turns: TurnRange): FileChangedByTurns[] {
    return this.ledger.filesOfTurns(turns);
  }

  /**
   * Reverts a file. If the change has no texts, an editor cannot undo the revert, and the result is the id of a restore
   * that can be undone.
   * @throws ChatError `notFound`, `changedSince` unless forced, EditorError
   */
  async revert(
    requestedPath: string,
    { force = false, turn, protectedFiles = 'refuse', undoId }: RevertOptions = {},
  ): Promise<string | undefined> {
    const path = await this.resolveUnlessChanged(requestedPath);
    const restore = await this.queue.run(path, async () => {
      const saved = await this.undoJournal.requireAsSaved(undoId, path);
      this.revertingPaths.add(path);
      return await this.reverter
        .revert(path, { force, turn, protectedFiles, saved })
        .finally(() => this.revertingPaths.delete(path));
    });
    const restoreId = restore && this.recordRestore(path, restore, undoId);
    await this.refresh(new Set([path]));
    return restoreId;
  }

  /** Keeps the changes to one file, or to all files. */
  async keepChanges(requestedPath?: string): Promise<void> {
    const all = new Set([...this.ledger.paths, ...this.states.paths]);
    const paths = requestedPath === undefined ? all : [await this.resolveUnlessChanged(requestedPath)];
    for (const path of paths) {
      this.reverter.recordDecision(path, 'kept');
      await this.turnCheckpoint.rebase(path);
    }
    this.ports.onDidChange();
  }

  /** Records a restore, unless an undo has recorded it. The changes of the file stay recorded, because undoing the restore brings them back. */
  private recordRestore(path: string, { target, turn, undo }: FileStateRestore, undoId?: string): string | undefined {
    const previous = this.remainingChanges.filter((change) => change.path === path);
    if (previous.length > 0) this.ledger.replaceChanges([{ path }]);
    if (undoId !== undefined && this.undoJournal.covers(undoId, path)) return undefined;
    const [from, to] = [[{ ...undo }], [{ ...target }]];
    this.record({ type: 'restored', id: undo.id, turn, target: to, undo: from, paths: [path], skipped: [], previous });
    return undo.id;
  }

  /** Records what the turn has changed so far. Never rejects. */
  async scan(): Promise<void> {
    await this.sharedWrites.claimForOtherWindows(this.turnCheckpoint);
    await this.turnCheckpoint.scan();
    await this.refresh();
  }

  private async compareWithApproval(path: string, before: FileText, after: FileText): Promise<void> {
    for (const shownPath of this.approvalDiffs.unwrittenPaths) {
      if ((await this.resolvePath(shownPath)) !== path) continue;
      if (!this.approvalDiffs.takeMatchingDiffs(shownPath, before, after)) this.ports.onUnexpectedWrite(path);
    }
  }

  private async runForFile(requestedPath: string, task: (path: string) => Promise<void>): Promise<void> {
    try {
      const path = await this.ports.files.editor.realPathOf(requestedPath);
      await this.queue.run(path, () => task(path));
    } catch (error) {
      this.ports.log.debug(`Cannot track a file that an agent writes: ${messageOf(error)}`);
    }
  }

  /**
   * Returns the path under which the changes of a file are recorded. That is not the resolved one for a symbolic link that was
   * changed itself, and for what earlier versions have recorded by the path of a link.
   */
  async resolveUnlessChanged(requestedPath: string): Promise<string> {
    return this.reverter.hasChanges(requestedPath) ? requestedPath : await this.resolvePath(requestedPath);
  }

  /** Returns the resolved path. If agents can no longer access the path, returns it unchanged. */
  private async resolvePath(path: string): Promise<string> {
    return await this.ports.files.editor.realPathOf(path).catch(() => path);
  }

  dispose(): void {
    this.runningTurnScans.end();
    this.savesByOthersTracker.dispose();
  }
}
