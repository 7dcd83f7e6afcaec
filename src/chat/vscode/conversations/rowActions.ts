import { userMessageOf } from '../../../base/common/errors';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import type { Messages } from '../../../platform/vscode/messages';
import { waitWithProgress } from '../../../platform/vscode/waitWithProgress';
import { ChatError, type Chat, type ExportFormat } from '../../common/chatPorts';
import type { ConversationRow } from '../../common/chatView';
import type { ConversationList } from '../../common/list/conversationList';
import type { ChatPageHost } from '../pages/chatPageHost';
import type { ChatPages } from '../pages/chatPages';
import type { ChatPageServices } from '../pages/chatPageServices';

interface RowActionsDeps extends Pick<ChatPageServices, 'chats' | 'places' | 'restore' | 'review' | 'closeChat'> {
  readonly list: Pick<ConversationList, 'find' | 'sourceOf'>;
  readonly pages: Pick<ChatPages, 'reveal' | 'revealView' | 'revealEmpty' | 'openInTab'>;
  /** Returns the absolute paths of the workspace folders. */
  readonly folders: () => readonly string[];
  /** Opens a folder in a window of its own. */
  readonly openFolder: (folder: string) => Promise<void>;
  readonly pickOtherAgent: ChatPageServices['pickOtherAgent'];
  readonly messages: Pick<Messages, 'info' | 'warning'>;
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
    await this.forEach(sessionIds, 'stopped', async ({ id }) => (await this.deps.chats.open(id)).stop());
  }

  async setPinned(sessionIds: readonly string[], isPinned: boolean): Promise<void> {
    const what = isPinned ? 'pinned' : 'unpinned';
    await this.forEach(sessionIds, what, ({ id }) => this.deps.chats.setMarks(id, { isPinned }));
  }

  async setArchived(sessionIds: readonly string[], isArchived: boolean): Promise<void> {
    const what = isArchived ? 'archived' : 'shown again';
    await this.forEach(sessionIds, what, ({ id }) => this.deps.chats.setMarks(id, { isArchived }));
  }

  async delete(sessionIds: readonly string[]): Promise<void> {
    const { closeChat, review } = this.deps;
    await this.forEach(sessionIds, 'deleted', async ({ id }) => {
      if (await review.deleteChat(id)) closeChat(id);
    });
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

  /**
   * Does something with each conversation that it can be done with. Of one that fails alone, the error is thrown; of several,
   * one message says which they are and why.
   */
  private async forEach(
    sessionIds: readonly string[],
    what: string,
    act: (row: ConversationRow) => Promise<void>,
  ): Promise<void> {
    const { list, messages } = this.deps;
    const failures: { readonly title: string; readonly error: unknown }[] = [];
    for (const id of sessionIds) {
      const row = list.find(id);
      if (!row) continue;
      try {
        if (list.sourceOf(id))
          throw new ChatError('readonly', `${row.backendTitle} stores it, and Backline only reads it.`);
        await act(row);
      } catch (error) {
        failures.push({ title: row.title, error });
      }
    }
    const [first] = failures;
    if (!first) return;
    if (sessionIds.length === 1) throw first.error;
    const reasons = [...Map.groupBy(failures, ({ error }) => userMessageOf(error))].map(
      ([reason, those]) => `${those.map(({ title }) => `“${title}”`).join(', ')}: ${reason}`,
    );
    messages.warning(`${countWithNoun(failures.length, 'conversation')} could not be ${what}. ${reasons.join(' ')}`);
  }
}

function showEntry(page: ChatPageHost, entryId: string | undefined): void {
  if (entryId !== undefined) page.showEntry(entryId);
}
