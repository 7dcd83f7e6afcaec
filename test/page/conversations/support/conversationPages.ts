// Opens the page of all conversations with a host that tells it a first list.
import type { Locator } from 'playwright-core';
import {
  conversationsRequests,
  didUpdateConversations,
  type ConversationsUpdate,
} from '../../../../src/chat/common/page/conversationsApi';
import { PageHarness, type OpenedPage, type PageOptions } from '../../support/pageHarness';
import { backends, now, rows, shop } from './conversationFixtures';

export interface ListHere extends OpenedPage {
  readonly search: Locator;
  tell(update: ConversationsUpdate): Promise<void>;
  /** The item of a conversation, or of a group, by its name for screen readers. */
  item(name: string | RegExp): Locator;
  /** The names of all items, from top to bottom. */
  names(): Promise<string[]>;
  /** The title of the item that has the focus, or in which it is; the tag of another element. */
  focused(): Promise<string>;
}

export class ConversationPages extends PageHarness {
  async openList(first: ConversationsUpdate = {}, options: Partial<PageOptions> = {}): Promise<ListHere> {
    const opened = await this.openPage({
      entry: 'src/chat/browser/conversations/conversationsMain.tsx',
      style: 'src/chat/browser/conversations/conversations.css',
      width: 320,
      height: 800,
      ...options,
      prepare: (host) => {
        host.clock = () => now;
        host.answer(conversationsRequests.ready, () => {
          void host.notify(didUpdateConversations, {
            rows,
            isComplete: true,
            backends,
            repositories: [shop.id],
            shown: null,
            ...first,
          });
          return {};
        });
        options.prepare?.(host);
      },
    });
    const { page, host } = opened;
    await page.locator('.conversations-main[aria-busy=false]').waitFor();
    return {
      ...opened,
      search: page.getByRole('searchbox'),
      tell: (update) => host.notify(didUpdateConversations, update),
      item: (name) => page.getByRole('treeitem', { name }),
      names: async () => {
        const snapshot = await page.locator('.tree').ariaSnapshot();
        return [...snapshot.matchAll(/treeitem "(.*?)"/g)].map(([, name = '']) => name);
      },
      focused: () =>
        page.evaluate(() => {
          const item = document.activeElement?.closest('[role=treeitem]');
          const title = item?.querySelector('.row-title, .group-title') ?? item;
          return title?.textContent ?? document.activeElement?.tagName ?? '';
        }),
    };
  }
}
