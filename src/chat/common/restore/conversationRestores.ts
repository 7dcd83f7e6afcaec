import type { GitMove } from '../../../changes/common/gitHead';
import type { FolderCheckpoint, RestoreOutcome } from '../../../changes/common/workspaceCheckpoints';
import { ChatError } from '../chatPorts';
import type { ChatRestores, ComparedTexts, NewRestore, PresentForkPoint, RestorePoint } from './restorePorts';
import type { ConversationFiles, StoredConversation } from '../chatStore';
import type { BackendConnection } from '../conversation/backendConnection';
import type { Conversation } from '../conversation/conversation';
import type { RemainingChange } from '../conversation/logRecord';
import { pathsOfOthers } from '../writes/pathsOfOthers';
import type { PlannedState } from '../writes/undoWrites';
import { fileTrails } from './fileTrails';
import type { Restore } from './restoreHistory';
import {
  momentBeforePrompt,
  changedPathsByTurn,
  checkpointsBeforeChanges,
  recordsWithoutQueuedPrompts,
  pathsByCommand,
  recordsForAside,
  writtenPaths,
} from './restorePoint';

/** Implements `ChatRestores`. Before a restore is recorded, this window becomes the writer of the conversation. */
export class ConversationRestores implements ChatRestores {
  constructor(
    private readonly conversationFiles: ConversationFiles,
    private readonly conversation: Conversation,
    /** Reads the records from disk. @throws ChatError */
    private readonly readRecords: () => Promise<StoredConversation>,
    private readonly connection: Pick<BackendConnection, 'forkSession' | 'discardFork'>,
  ) {}

  get remainingChanges(): readonly RemainingChange[] {
    return this.conversation.journal.remainingChanges;
  }

  get(id: string): Restore | undefined {
    return this.conversation.restores.get(id);
  }

  async restorePointBefore(entryId: string): Promise<RestorePoint> {
    const entry = this.conversation.document.get(entryId);
    const steeredId = this.conversation.transcript.promptEntries.steeredIdOf(entryId);
    const moment =
      entry?.kind === 'prompt' ? momentBeforePrompt((await this.readAll()).records, entry.turn, steeredId) : undefined;
    if (!entry || !moment) throw new ChatError('notFound', 'This prompt is no longer in the conversation.');
    const { journal } = this.conversation;
    const pathsByTurn = new Map(changedPathsByTurn(moment.recordsSince));
    // The texts of a turn are those before all of it.
    if (moment.isInTurn) pathsByTurn.delete(entry.turn);
    return {
      ...moment,
      turn: entry.turn,
      remainingChanges: journal.remainingChangesAfter(moment.recordsBefore),
      writtenPaths: writtenPaths(moment.recordsSince),
      pathsByCommand: pathsByCommand(moment.recordsSince),
      pathsByTurn,
    };
  }

  async gitMovesSinceChanges(paths: readonly string[]): Promise<readonly GitMove[]> {
    try {
      const folders = checkpointsBeforeChanges((await this.readAll()).records, paths);
      return (await this.conversation.checkpoints?.gitMovesSince(folders)) ?? [];
    } catch {
      return [];
    }
  }

  async copyPresentState(copiesSession: boolean, isAside = false): Promise<PresentForkPoint> {
    await this.conversationFiles.claim();
    this.requireIdle();
    await this.whenTurnRecorded();
    const { remoteId: source } = this.conversationFiles.head;
    const remoteId = copiesSession ? await this.connection.forkSession(source, isAside) : undefined;
    try {
      const { records } = await this.readAll();
      // A prompt may have been sent in the meantime, so it is unknown whether the copy contains it.
      this.requireIdle();
      const { draft } = this.conversation.transcript.prompts.at(-1) ?? {};
      return { recordsBefore: recordsWithoutQueuedPrompts(records), remoteId, draft };
    } catch (error) {
      await this.discardCopy({ remoteId });
      throw error;
    }
  }

  async copyForAside(): Promise<PresentForkPoint> {
    const { isBusy, isStopping } = this.conversation.transcript;
    try {
      if (!isBusy && !isStopping && !this.conversationFiles.isInUseElsewhere) {
        const idle = await this.copyPresentState(true, true);
        return { ...idle, recordsBefore: recordsForAside(idle.recordsBefore), draft: undefined };
      }
    } catch (error) {
      // A turn has begun meanwhile.
      if (!(error instanceof ChatError) || error.code !== 'busy') throw error;
    }
    const { records } = await this.readAll();
    return { recordsBefore: recordsForAside(records), remoteId: undefined, draft: undefined };
  }

  async discardCopy({ remoteId }: Pick<PresentForkPoint, 'remoteId'>): Promise<void> {
    if (remoteId !== undefined) await this.connection.discardFork(remoteId);
  }

  async pathsEditedByOthers(
    { folders, recordsBefore, recordsSince }: RestorePoint,
    textBefore: (path: string) => Promise<string | null | undefined>,
  ): Promise<ReadonlySet<string>> {
    const trails = fileTrails(recordsBefore, recordsSince);
    return await this.conversation.journal.pathsEditedByOthers(trails, textBefore, folders);
  }

  async pathsOfOthersSince({ recordsSince }: RestorePoint): Promise<ReadonlyMap<string, string>> {
    const writes = (await this.conversation.agentWrites?.since(recordsSince[0]?.at ?? Infinity)) ?? [];
    return pathsOfOthers(this.conversationFiles.head.id, recordsSince, writes);
  }

  get last(): Restore | undefined {
    return this.conversation.restores.last;
  }

  async beginUndo(paths: readonly string[], turn?: number, undoneRestore?: string): Promise<string> {
    await this.conversationFiles.claim();
    const { authors, states, undoJournal } = this.conversation.journal;
    const id = await undoJournal.begin(paths, turn, undoneRestore);
    for (const one of [authors, states]) one.rememberForUndo(id, paths);
    try {
      // Nothing may be overwritten before this is on disk.
      await this.requireFlushed();
    } catch (error) {
      await undoJournal.end(id, []);
      for (const one of [authors, states]) one.bringBack(id);
      throw error;
    }
    return id;
  }

  async isAsSaved(undoId: string, path: string): Promise<boolean> {
    return await this.conversation.journal.undoJournal.isAsSaved(undoId, path);
  }

  async endUndo(id: string, done: readonly string[]): Promise<readonly string[]> {
    return await this.conversation.journal.undoJournal.end(id, done);
  }

  async compareTexts(restore: Restore): Promise<ComparedTexts> {
    return await this.conversation.journal.undoJournal.compareTexts(restore);
  }

  async restoreTexts(restore: Restore, paths: ReadonlySet<string>): Promise<void> {
    await this.conversation.journal.undoJournal.restoreTexts(restore, paths);
  }

  async whenTurnRecorded(): Promise<void> {
    await this.conversation.journal.whenTurnRecorded();
  }

  async claim(): Promise<void> {
    await this.conversationFiles.claim();
  }

  async tellOthers<T extends Pick<RestoreOutcome, 'restored'>>(
    files: readonly PlannedState[],
    write: () => Promise<T>,
  ): Promise<T> {
    let written: ReadonlySet<string> | undefined;
    return await this.conversation.journal.sharedWrites.ofStates(files, write, ({ restored }, path) => {
      written ??= new Set(restored);
      return written.has(path);
    });
  }

  async tellRestored(paths: readonly string[], folders: readonly FolderCheckpoint[]): Promise<void> {
    await this.conversation.journal.sharedWrites.shareRestored(paths, folders);
  }

  async replaceChanges(files: readonly RemainingChange[]): Promise<void> {
    await this.conversationFiles.claim();
    await this.conversation.journal.replaceChanges(files);
  }

  async recordRestore({ replaced, ...restore }: NewRestore): Promise<void> {
    await this.replaceChanges(replaced);
    this.conversation.addRecord({ type: 'restored', ...restore });
  }

  async recordUndone(id: string, replaced: readonly RemainingChange[]): Promise<void> {
    const { authors, states } = this.conversation.journal;
    for (const one of [authors, states]) one.bringBack(id);
    await this.replaceChanges(replaced);
    this.conversation.addRecord({ type: 'restoreUndone', id });
  }

  private requireIdle(): void {
    const { isBusy, isStopping } = this.conversation.transcript;
    if (isBusy || isStopping) throw new ChatError('busy', 'The agent is working. Stop it, or wait until it is done.');
  }

  /** Reads all records. @throws ChatError `storage` if some of them are not on disk yet */
  private async readAll(): Promise<StoredConversation> {
    await this.requireFlushed();
    return await this.readRecords();
  }

  /** @throws ChatError `storage` */
  private async requireFlushed(): Promise<void> {
    await this.conversationFiles.flush();
    const { problem } = this.conversationFiles;
    if (problem !== undefined) throw new ChatError('storage', problem);
  }
}
