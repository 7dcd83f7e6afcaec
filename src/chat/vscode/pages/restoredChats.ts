import * as z from 'zod';
import { messageOf, userMessageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { Memento } from '../../../base/common/memento';
import type { Messages } from '../../../platform/vscode/messages';
import { ChatError, type Chat, type Chats } from '../../common/chatPorts';

const openingKey = 'chat.opening';
const Ids = z.array(z.string()).catch([]);

interface RestoredChatsDeps {
  readonly chats: Pick<Chats, 'compact' | 'open' | 'openAsides' | 'rows'>;
  /** The state of the workspace. It outlives the extension host. */
  readonly memento: Memento;
  readonly messages: Pick<Messages, 'warning' | 'error'>;
  readonly log: Logger;
  /** Asks the user first. @throws ChatError */
  readonly deleteChat: (sessionId: string) => Promise<unknown>;
}

/**
 * Opens the conversations that a window showed before a reload. A conversation is marked while it is opened. If the
 * extension host ends meanwhile, or if opening fails, it is not opened by itself again, and the user decides.
 */
export class RestoredChats {
  /** Conversations during whose opening the extension host ended, until they were opened. */
  private readonly interruptedIds: Set<string>;
  private readonly reportedIds = new Set<string>();

  constructor(private readonly deps: RestoredChatsDeps) {
    this.interruptedIds = new Set(this.opening);
  }

  /**
   * Resolves to undefined if the conversation is not opened by itself. `show` is called if the user opens it then. Never
   * rejects.
   */
  async open(sessionId: string, show: (chat: Chat) => void): Promise<Chat | undefined> {
    if (this.interruptedIds.has(sessionId) && this.isThere(sessionId)) {
      // The view and a tab can show the same conversation.
      if (!this.reportedIds.has(sessionId)) this.reportInterrupted(sessionId, show);
      return undefined;
    }
    try {
      return await this.openMarked(sessionId);
    } catch (error) {
      if (error instanceof ChatError && error.code === 'notFound') {
        this.deps.log.info(`A conversation that was shown before no longer exists: ${messageOf(error)}`);
        return undefined;
      }
      this.offerActions(sessionId, `${this.nameOf(sessionId)} could not be opened. ${userMessageOf(error)}`, show);
      return undefined;
    }
  }

  /** Call when a conversation is shown. From then on, it is opened by itself again. Never rejects. */
  async noteShown(sessionId: string): Promise<void> {
    if (this.interruptedIds.delete(sessionId)) await this.unmark(sessionId);
  }

  /** The mark stays until the conversation was opened, so that another reload does not open it either. */
  private reportInterrupted(sessionId: string, show: (chat: Chat) => void): void {
    this.reportedIds.add(sessionId);
    const reason = 'the extension host ended while it was being opened the last time';
    this.offerActions(sessionId, `${this.nameOf(sessionId)} was not opened, because ${reason}.`, show);
  }

  private async openMarked(sessionId: string): Promise<Chat> {
    await this.save([...this.opening, sessionId]);
    try {
      return await this.deps.chats.open(sessionId);
    } finally {
      this.interruptedIds.delete(sessionId);
      await this.unmark(sessionId);
    }
  }

  private offerActions(sessionId: string, message: string, show: (chat: Chat) => void): void {
    const { chats, deleteChat, messages } = this.deps;
    const run = async (work: () => Promise<unknown>): Promise<void> => {
      try {
        await work();
      } catch (error) {
        messages.error(userMessageOf(error));
      }
    };
    const open = async (): Promise<void> => show(await this.openMarked(sessionId));
    const compactAndOpen = async (): Promise<void> => {
      await chats.compact(sessionId);
      await open();
    };
    messages.warning(
      message,
      { label: 'Open', run: () => run(open) },
      { label: 'Compact', run: () => run(compactAndOpen) },
      { label: 'Delete', run: () => run(() => deleteChat(sessionId)) },
    );
  }

  /** Undefined if there is no such conversation. */
  private titleOf(sessionId: string): string | undefined {
    return this.deps.chats.rows.find(({ id }) => id === sessionId)?.title;
  }

  private isThere(sessionId: string): boolean {
    return this.titleOf(sessionId) !== undefined || this.deps.chats.openAsides.some(({ id }) => id === sessionId);
  }

  private nameOf(sessionId: string): string {
    const title = this.titleOf(sessionId);
    return title === undefined ? 'A conversation' : `“${title}”`;
  }

  private get opening(): readonly string[] {
    return Ids.parse(this.deps.memento.get(openingKey));
  }

  private async unmark(sessionId: string): Promise<void> {
    await this.save(this.opening.filter((id) => id !== sessionId));
  }

  private async save(ids: readonly string[]): Promise<void> {
    const { log, memento } = this.deps;
    try {
      await memento.update(openingKey, ids.length > 0 ? [...new Set(ids)] : undefined);
    } catch (error) {
      log.warn(`Cannot remember which conversation is being opened: ${messageOf(error)}`);
    }
  }
}
