import type { FolderCheckpoint } from '../../../changes/common/workspaceCheckpoints';
import type { Conversation } from '../conversation/conversation';

/**
 * The checkpoint of a prompt that joins a turn. It is taken while the prompt is on its way, which must not wait for it, and
 * recorded when the prompt has joined. What the turn has changed before is recorded first.
 */
export class JoiningCheckpoint {
  private readonly turn: number;
  private readonly taken: Promise<readonly FolderCheckpoint[]>;

  constructor(
    private readonly conversation: Conversation,
    private readonly promptId: string,
  ) {
    this.turn = conversation.transcript.turnNumber;
    this.taken = this.take();
    // Whoever records it gets the error.
    this.taken.catch(() => undefined);
  }

  /** Records the checkpoint, unless the turn has ended before it was taken. @throws Error if it could not be taken */
  async record(): Promise<void> {
    const { conversation, promptId: prompt, turn } = this;
    const folders = await this.taken;
    const { isBusy, turnNumber } = conversation.transcript;
    if (folders.length === 0 || !isBusy || turnNumber !== turn) return;
    conversation.addRecord({ type: 'checkpoint', turn, prompt, folders: [...folders] });
  }

  private async take(): Promise<readonly FolderCheckpoint[]> {
    const { checkpoints, head, journal } = this.conversation;
    if (!checkpoints) return [];
    await journal.scan();
    const series = `turns of ${head.id}`;
    return (await checkpoints.take(`Turn ${this.turn}`, new AbortController().signal, { series })).folders;
  }
}
