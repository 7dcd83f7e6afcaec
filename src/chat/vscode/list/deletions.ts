import type { Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { Messages } from '../../../platform/vscode/messages';
import type { Chats } from '../../common/chatPorts';
import { DeletedConversations } from '../../common/list/deletedConversations';
import type { Dialogs } from '../dialogs';
import type { ChatPageHost } from '../pages/chatPageHost';
import type { ChatPages } from '../pages/chatPages';

interface DeletionsDeps {
  readonly chats: Chats;
  readonly pages: Pick<ChatPages, 'all'>;
  readonly dialogs: Pick<Dialogs, 'confirm'>;
  readonly messages: Pick<Messages, 'error' | 'offer'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Deletes conversations, and takes those that any window has deleted off the pages of this one. */
export class Deletions implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly deleted: DeletedConversations;
  /** Pages that have shown a deleted conversation, with its id, as long as they show no other one. */
  private readonly emptied = new WeakMap<ChatPageHost, string>();

  constructor(private readonly deps: DeletionsDeps) {
    const { messages } = deps;
    this.deleted = this.disposables.add(
      new DeletedConversations({
        ...deps,
        offer: (text, button) => messages.offer(text, button),
        reportError: (text, tryAgain) =>
          messages.error(text, ...(tryAgain ? [{ label: 'Try Again', run: tryAgain }] : [])),
      }),
    );
  }

  /** Call when the conversations are known. */
  start(): void {
    // First, because a conversation that no page shows any more can be closed.
    this.disposables.add(this.deps.chats.onDidChange(() => this.updatePages()));
    this.updatePages();
    this.deleted.start();
  }

  /** See `DeletedConversations.delete`. */
  async delete(sessionIds: readonly string[]): Promise<boolean> {
    return await this.deleted.delete(sessionIds);
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private updatePages(): void {
    const { chats, pages } = this.deps;
    const deletedIds = new Set(chats.deleted.map(({ id }) => id));
    for (const page of pages.all) {
      const shown = page.chat?.id;
      const emptied = this.emptied.get(page);
      if (shown !== undefined) this.emptied.delete(page);
      if (shown !== undefined && deletedIds.has(shown)) {
        this.emptied.set(page, shown);
        page.show(undefined);
      } else if (shown === undefined && emptied !== undefined && !deletedIds.has(emptied)) {
        this.emptied.delete(page);
        if (chats.rows.some(({ id }) => id === emptied)) void this.showAgain(page, emptied);
      }
    }
  }

  /** Never rejects. */
  private async showAgain(page: ChatPageHost, sessionId: string): Promise<void> {
    const isStillWanted = page.startNavigation();
    try {
      const chat = await this.deps.chats.open(sessionId);
      if (isStillWanted() && page.chat === undefined) page.show(chat);
    } catch (error) {
      this.deps.log.info(`A conversation is not shown again: ${messageOf(error)}`);
    }
  }
}
