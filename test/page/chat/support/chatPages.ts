// Opens the page of the chat with a host that tells it a first state.
import type { Locator } from 'playwright-core';
import { chatRequests, didUpdate } from '../../../../src/chat/common/page/chatApi';
import type { ConversationView } from '../../../../src/chat/common/chatView';
import { PageHarness, type OpenedPage, type PageOptions } from '../../support/pageHarness';
import { sessionOf, snapshot, type Update } from './chatFixtures';

export interface ChatHere extends OpenedPage {
  readonly composer: Locator;
  tell(update: Update): Promise<void>;
  tellSession(part: Partial<ConversationView>): Promise<void>;
}

export class ChatPages extends PageHarness {
  /** The page has drawn the first state; its clock stands at `now` and goes on with `page.clock`. */
  async openChat(first: Update = snapshot(sessionOf()), options: Partial<PageOptions> = {}): Promise<ChatHere> {
    const opened = await this.openPage({
      entry: 'src/chat/browser/chatMain.tsx',
      ...options,
      prepare: (host) => {
        host.answer(chatRequests.ready, () => {
          void host.notify(didUpdate, first);
          return {};
        });
        host.answer(chatRequests.load, () => ({ isFound: true }));
        host.answer(chatRequests.find, () => ({ found: [] }));
        host.answer(chatRequests.searchSessions, () => ({ sessions: [] }));
        host.answer(chatRequests.starters, () => ({ starters: [{ text: 'Explain this project', attachments: [] }] }));
        host.answer(chatRequests.instructionFiles, () => ({ files: [] }));
        host.answer(chatRequests.promptFiles, () => ({ files: [] }));
        host.answer(chatRequests.showAgents, () => ({}));
        options.prepare?.(host);
      },
    });
    const { page, host } = opened;
    const tell = (update: Update): Promise<void> => host.notify(didUpdate, update);
    const base = first.session ?? sessionOf();
    // In a very low window a question leaves no room for it.
    await page.locator('.transcript-pane:not([aria-busy])').waitFor({ state: 'attached' });
    return {
      ...opened,
      composer: page.getByRole('textbox', { name: 'Prompt' }),
      tell,
      tellSession: (part) => tell({ session: { ...base, ...part } }),
    };
  }
}
