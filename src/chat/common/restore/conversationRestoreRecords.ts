import { ChatError, type RestoreRecords, type NewRestore, type RestorePoint } from '../chatPorts';
import type { ConversationFiles, StoredConversation } from '../chatStore';
import type { Conversation } from '../conversation/conversation';
import type { RemainingChange } from '../conversation/logRecord';
import type { Restore } from './restoreHistory';
import { momentBeforePrompt, changedPathsByTurn, writtenPaths } from './restorePoint';

/** Implements `RestoreRecords`. Before a restore is recorded, this window becomes the writer of the conversation. */
export class ConversationRestoreRecords implements RestoreRecords {
  constructor(
    private readonly conversationFiles: ConversationFiles,
    private readonly conversation: Conversation,
    /** Reads the records from disk. @throws ChatError */
    private readonly readRecords: () => Promise<StoredConversation>,
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
      pathsByTurn: changedPathsByTurn(moment.recordsSince),
    };
  }

  async editedPaths(): Promise<ReadonlySet<string>> {
    return await this.conversation.journal.editedPaths();
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

  /** Reads all records. @throws ChatError `storage` if some of them are not on disk yet */
  private async readAll(): Promise<StoredConversation> {
    await this.conversationFiles.flush();
    const { problem } = this.conversationFiles;
    if (problem !== undefined) throw new ChatError('storage', problem);
    return await this.readRecords();
  }
}
