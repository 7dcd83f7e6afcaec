import type * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { commandIds } from '../../../manifest';
import type { Commands } from '../../../platform/vscode/commands';
import type { ConversationSource } from '../../common/conversationSource';
import { ConversationList } from '../../common/list/conversationList';
import { ConversationsFeed } from '../../common/page/feed/conversationsFeed';
import type { ChatPages } from '../pages/chatPages';
import type { ChatPageServices } from '../pages/chatPageServices';
import { createConversationsHandlers } from './conversationsHandlers';
import { ConversationsPages } from './conversationsPages';
import { RowActions } from './rowActions';

interface AllConversationsDeps extends Pick<
  ChatPageServices,
  | 'backends'
  | 'chats'
  | 'clock'
  | 'deletions'
  | 'keyChords'
  | 'log'
  | 'pickOtherAgent'
  | 'places'
  | 'restore'
  | 'review'
> {
  readonly commands: Pick<Commands, 'setHandler'>;
  readonly extensionUri: vscode.Uri;
  readonly pages: ChatPages;
  readonly sources: readonly ConversationSource[];
  /** Called when VS Code has made or closed the view. */
  readonly onDidChangeView: () => void;
  /** Shows the conversation that has waited longest for the user, or the one after that. */
  readonly showNextMarked: () => Promise<void>;
}

/** The list of all conversations: its pages, its commands, and what it does with conversations. */
export class AllConversations implements Disposable {
  private readonly disposables = new DisposableStore();
  readonly pages: ConversationsPages;

  constructor(private readonly deps: AllConversationsDeps) {
    const { chats, log, pages, sources } = deps;
    const list = this.disposables.add(
      new ConversationList(chats, sources, (error) => log.error('an error in the list of conversations', error)),
    );
    const actions = new RowActions({ ...deps, list });
    this.pages = this.disposables.add(
      new ConversationsPages({
        ...deps,
        createFeed: (post) =>
          new ConversationsFeed({
            ...deps,
            ...{ list, post },
            repositories: () => chats.repositories,
            shownChat: () => pages.activePage?.chat?.id,
            onDidChangeShown: pages.onDidChange,
          }),
        createHandlers: (page, store) => createConversationsHandlers(page, { actions, chats, list }, store),
      }),
    );
  }

  start(): void {
    const { commands, showNextMarked } = this.deps;
    const { disposables, pages } = this;
    disposables.add(commands.setHandler(commandIds.conversationsShow, () => pages.showView()));
    disposables.add(commands.setHandler(commandIds.conversationsOpenInTab, () => pages.showTab()));
    disposables.add(commands.setHandler(commandIds.conversationsSearch, () => pages.search()));
    disposables.add(commands.setHandler(commandIds.conversationsNextNeedsInput, showNextMarked));
  }

  dispose(): void {
    this.disposables.dispose();
  }
}
