import { waitWithProgress } from '../../../platform/vscode/waitWithProgress';
import { ChatError, type Chat, type ExportFormat } from '../../common/chatPorts';
import type { ConversationRow } from '../../common/chatView';
import { forEachConversation } from '../../common/list/forEachConversation';
import type { ConversationList } from '../../common/list/conversationList';
import type { ChatPageHost } from '../pages/chatPageHost';
import type { ChatPages } from '../pages/chatPages';
import type { ChatPageServices } from '../pages/chatPageServices';

interface RowActionsDeps extends Pick<ChatPageServices, 'chats' | 'deletions' | 'places' | 'restore' | 'review'> {
  readonly list: Pick<ConversationList, 'find' | 'sourceOf'>;
  readonly pages: Pick<ChatPages, 'reveal' | 'revealView' | 'revealEmpty' | 'openInTab'>;
  /** Returns the absolute paths of the workspace folders. */
  readonly folders: () => readonly string[];
  /** Opens a folder in a window of its own. */
  readonly openFolder: (folder: string) => Promise<void>;
  readonly pickOtherAgent: ChatPageServices['pickOtherAgent'];
}

/** What the list of all conversations does with one or several of them. Each throws an error for the user. */
export class RowActions {
  constructor(private readonly deps: RowActionsDeps) {}

  /** Shows a conversation in the chat, or in its tab if it has one. */
  async open(sessionId: string, entryId?: string): Promise<void> {
    const source = this.deps.list.sourceOf(sessionId);
    if (source) await source.open(sessionId, entryId);
    else if (await this.deps.places.confirmOpenHere(sessionId)) {
      const chat = await this.load(sessionId);
      if (chat) showEntry(await this.deps.pages.reveal(chat), entryId);
    }
  }

  async openInTab(sessionId: string, entryId?: string): Promise<void> {
    const { list, pages, places } = this.deps;
    const source = list.sourceOf(sessionId);
    if (source) await source.open(sessionId, entryId);
    else if (await places.confirmOpenHere(sessionId)) showEntry(await pages.openInTab(sessionId), entryId);
  }

  async create(): Promise<void> {
    (await this.deps.pages.revealEmpty()).focusComposer();
  }

  async goToWindow(sessionId: string): Promise<void> {
    await this.deps.places.goToWindow(sessionId);
  }

  /** Opens the folder of a conversation in a window of its own. */
  async openInNewWindow(sessionId: string): Promise<void> {
    const { folders, list, openFolder } = this.deps;
    const folder = list.find(sessionId)?.elsewhere?.folder ?? folders()[0];
    if (folder === undefined) throw new ChatError('notFound', 'The folder of this conversation is not known.');
    await openFolder(folder);
  }

  async stop(sessionIds: readonly string[]): Promise<void> {
    await this.forEach(sessionIds, 'stopped', ({ id }) => this.deps.chats.stopTurn(id));
  }

  async setPinned(sessionIds: readonly string[], isPinned: boolean): Promise<void> {
    const done = isPinned ? 'pinned' : 'unpinned';
    await this.forEach(sessionIds, done, ({ id }) => this.deps.chats.setMarks(id, { isPinned }));
  }

  async setArchived(sessionIds: readonly string[], isArchived: boolean): Promise<void> {
    const done = isArchived ? 'archived' : 'brought back';
    await this.forEach(sessionIds, done, ({ id }) => this.deps.chats.setMarks(id, { isArchived }));
  }

  async delete(sessionIds: readonly string[]): Promise<void> {
    await this.deps.deletions.delete(sessionIds);
  }

  async fork(sessionId: string): Promise<void> {
    const chat = await this.load(sessionId);
    if (chat) await this.deps.restore.forkNow(chat, (next) => void this.showNew(next));
  }

  async continueWith(sessionId: string): Promise<void> {
    const chat = await this.load(sessionId);
    const agent = chat && (await this.deps.pickOtherAgent(chat.view.backendId));
    if (agent) await this.deps.restore.continueWith(chat, agent, (next) => void this.showNew(next));
  }

  async review(sessionId: string): Promise<void> {
    const chat = await this.load(sessionId);
    if (chat) await this.deps.review.openChanges(chat);
  }

  async export(sessionId: string, format: ExportFormat): Promise<void> {
    const source = this.deps.list.sourceOf(sessionId);
    await (source ? source.export(sessionId) : this.deps.review.exportChat(sessionId, format));
  }

  async locateFolder(sessionId: string): Promise<void> {
    await this.deps.places.locateFolder(sessionId);
  }

  private async load(sessionId: string): Promise<Chat | undefined> {
    return await waitWithProgress('Opening conversation', this.deps.chats.open(sessionId));
  }

  private async showNew(chat: Chat): Promise<void> {
    (await this.deps.pages.reveal(chat)).focusComposer();
  }

  private async forEach(
    sessionIds: readonly string[],
    done: string,
    act: (row: ConversationRow) => Promise<void>,
  ): Promise<void> {
    const { list } = this.deps;
    const rows = sessionIds.flatMap((id) => list.find(id) ?? []);
    await forEachConversation(rows, done, async (row) => {
      if (list.sourceOf(row.id))
        throw new ChatError('readonly', `${row.backendTitle} stores it, and Backline only reads it.`);
      await act(row);
    });
  }
}

function showEntry(page: ChatPageHost, entryId: string | undefined): void {
  if (entryId !== undefined) page.showEntry(entryId);
}
