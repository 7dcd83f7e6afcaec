import { ChatError, type NewRestore, type PresentForkPoint, type RestorePoint, type ChatRestores } from '../chatPorts';
import type { ConversationFiles, StoredConversation } from '../chatStore';
import type { BackendConnection } from '../conversation/backendConnection';
import type { Conversation } from '../conversation/conversation';
import type { RemainingChange } from '../conversation/logRecord';
import type { Restore } from './restoreHistory';
import { momentBeforePrompt, changedPathsByTurn, recordsWithoutQueuedPrompts, writtenPaths } from './restorePoint';

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
    const moment =
      entry?.kind === 'prompt' ? momentBeforePrompt((await this.readAll()).records, entry.turn) : undefined;
    if (!entry || !moment) throw new ChatError('notFound', 'This prompt is no longer in the conversation.');
    const { journal } = this.conversation;
    return {
      ...moment,
      turn: entry.turn,
      remainingChanges: journal.remainingChangesAfter(moment.recordsBefore),
      writtenPaths: writtenPaths(moment.recordsSince),
      pathsByCommand: new Set(
        moment.recordsSince.flatMap((record) => (record.type === 'attributed' ? [record.path] : [])),
      ),
      pathsByTurn: changedPathsByTurn(moment.recordsSince),
    };
  }

  async copyPresentState(): Promise<PresentForkPoint> {
    await this.conversationFiles.claim();
    this.requireIdle();
    await this.whenTurnRecorded();
    const remoteId = await this.connection.forkSession(this.conversationFiles.head.remoteId);
    try {
      const { records } = await this.readAll();
      // A prompt may have been sent in the meantime, so it is unknown whether the copy contains it.
      this.requireIdle();
      return { recordsBefore: recordsWithoutQueuedPrompts(records), remoteId };
    } catch (error) {
      await this.discardCopy({ remoteId });
      throw error;
    }
  }

  async discardCopy({ remoteId }: Pick<PresentForkPoint, 'remoteId'>): Promise<void> {
    if (remoteId !== undefined) await this.connection.discardFork(remoteId);
  }

  async pathsEditedSinceAgent(): Promise<ReadonlySet<string>> {
    return await this.conversation.journal.pathsEditedSinceAgent();
  }

  async whenTurnRecorded(): Promise<void> {
    await this.conversation.journal.whenTurnRecorded();
  }

  async claim(): Promise<void> {
    await this.conversationFiles.claim();
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
    await this.replaceChanges(replaced);
    this.conversation.addRecord({ type: 'restoreUndone', id });
  }

  private requireIdle(): void {
    const { isBusy, isStopping } = this.conversation.transcript;
    if (isBusy || isStopping) throw new ChatError('busy', 'The agent is working. Stop it, or wait until it is done.');
  }

  /** Reads all records. @throws ChatError `storage` if some of them are not on disk yet */
  private async readAll(): Promise<StoredConversation> {
    await this.conversationFiles.flush();
    const { problem } = this.conversationFiles;
    if (problem !== undefined) throw new ChatError('storage', problem);
    return await this.readRecords();
  }
}
