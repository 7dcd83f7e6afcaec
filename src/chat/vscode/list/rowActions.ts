import { waitWithProgress } from '../../../platform/vscode/waitWithProgress';
import { ChatError, type ApprovalAnswer, type Chat, type ExportFormat } from '../../common/chatPorts';
import type { ConversationList } from '../../common/list/conversationList';
import { forEachConversation } from '../../common/list/forEachConversation';
import type { ChatPageHost } from '../pages/chatPageHost';
import type { ChatPages } from '../pages/chatPages';
import type { ChatPageServices } from '../pages/chatPageServices';

type UsedServices = 'chats' | 'deletions' | 'pickOtherAgent' | 'places' | 'restore' | 'review';

interface RowActionsDeps extends Pick<ChatPageServices, UsedServices> {
  readonly list: Pick<ConversationList, 'find' | 'sourceOf'>;
  readonly pages: Pick<ChatPages, 'reveal' | 'revealEmpty' | 'openInTab'>;
}

/** What the list of all conversations does with one or several of them. Each throws an error for the user. */
export class RowActions {
  /** What the user has asked last to be shown. */
  private latestOpening = {};

  constructor(private readonly deps: RowActionsDeps) {}

  /** Shows a conversation in the chat, or in its tab if it has one: at an entry, or at what waits for the user. */
  async open(sessionId: string, entryId?: string): Promise<void> {
    const { list, pages } = this.deps;
    const source = list.sourceOf(sessionId);
    if (source) {
      await source.open(sessionId, entryId);
      return;
    }
    const opening = (this.latestOpening = {});
    const chat = await this.load(sessionId);
    if (!chat || opening !== this.latestOpening) return;
    show(await pages.reveal(chat), chat.id, entryId, list.find(sessionId)?.state === 'waiting');
  }

  async openInTab(sessionId: string, entryId?: string): Promise<void> {
    const { list, pages, places } = this.deps;
    const source = list.sourceOf(sessionId);
    if (source) await source.open(sessionId, entryId);
    else if (await places.confirmOpenHere(sessionId)) show(await pages.openInTab(sessionId), sessionId, entryId);
  }

  async create(): Promise<void> {
    (await this.deps.pages.revealEmpty()).focusComposer();
  }

  async openInNewWindow(sessionId: string): Promise<void> {
    this.requireOwn(sessionId);
    await this.deps.places.openInNewWindow(sessionId);
  }

  async goToWindow(sessionId: string): Promise<void> {
    this.requireOwn(sessionId);
    await this.deps.places.goToWindow(sessionId);
  }

  async stop(sessionIds: readonly string[]): Promise<void> {
    await this.forEach(sessionIds, 'stopped', (id) => this.deps.chats.stopTurn(id));
  }

  async answer(sessionId: string, answer: ApprovalAnswer): Promise<void> {
    this.requireOwn(sessionId);
    await this.deps.chats.answerFromRow(sessionId, answer);
  }

  async rename(sessionId: string, title: string): Promise<void> {
    this.requireOwn(sessionId);
    if (title.trim() === '') throw new Error('Enter a title.');
    await this.deps.chats.rename(sessionId, title.trim());
  }

  async setPinned(sessionIds: readonly string[], isPinned: boolean): Promise<void> {
    const done = isPinned ? 'pinned' : 'unpinned';
    await this.forEach(sessionIds, done, (id) => this.deps.chats.setMarks(id, { isPinned }));
  }

  async setArchived(sessionIds: readonly string[], isArchived: boolean): Promise<void> {
    const done = isArchived ? 'archived' : 'unarchived';
    await this.forEach(sessionIds, done, (id) => this.deps.chats.setMarks(id, { isArchived }));
  }

  async delete(sessionIds: readonly string[]): Promise<void> {
    const own = sessionIds.filter((id) => !this.deps.list.sourceOf(id));
    // Others are only left out if there is something to delete.
    if (own.length === 0) for (const id of sessionIds) this.requireOwn(id);
    await this.deps.deletions.delete(own);
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
    this.requireOwn(sessionId);
    await this.deps.places.locateFolder(sessionId);
  }

  /** Undefined if the user does not want to open a conversation of another folder here, or does not want to wait. */
  private async load(sessionId: string): Promise<Chat | undefined> {
    this.requireOwn(sessionId);
    const { chats, places } = this.deps;
    if (!(await places.confirmOpenHere(sessionId))) return undefined;
    return await waitWithProgress('Opening conversation', chats.open(sessionId));
  }

  private async showNew(chat: Chat): Promise<void> {
    (await this.deps.pages.reveal(chat)).focusComposer();
  }

  /** @throws ChatError `readonly` if Backline does not store the conversation */
  private requireOwn(sessionId: string): void {
    const { list } = this.deps;
    if (!list.sourceOf(sessionId)) return;
    const agent = list.find(sessionId)?.backendTitle ?? 'The agent';
    throw new ChatError('readonly', `${agent} keeps this conversation. It can’t be changed here.`);
  }

  private async forEach(
    sessionIds: readonly string[],
    done: string,
    act: (sessionId: string) => Promise<void>,
  ): Promise<void> {
    const { chats, list } = this.deps;
    const titleOf = (id: string): string => list.find(id)?.title ?? chats.titleOf(id) ?? 'A conversation';
    const named = sessionIds.map((id) => ({ id, title: titleOf(id) }));
    await forEachConversation(named, done, async ({ id }) => {
      this.requireOwn(id);
      await act(id);
    });
  }
}

function show(page: ChatPageHost, sessionId: string, entryId: string | undefined, isWaiting = false): void {
  if (entryId !== undefined) page.showEntry(sessionId, entryId);
  else if (isWaiting) page.runCommand('focusApproval');
}
