// Opens the page of a thread with a host that tells it a first state.
import type { Page } from 'playwright-core';
import { didUpdate, threadRequests } from '../../../../src/threads/common/page/threadApi';
import { drawn } from '../../support/drawn';
import { PageHarness, type OpenedPage, type PageOptions } from '../../support/pageHarness';
import { snapshot, view, type Update } from './threadFixtures';

export interface ThreadHere extends OpenedPage {
  readonly tell: (update: Update) => Promise<void>;
}

export class ThreadPages extends PageHarness {
  /** The page has drawn the first state. */
  async openThread(first: Update = snapshot(), options: Partial<PageOptions> = {}): Promise<ThreadHere> {
    const opened = await this.openPage({
      entry: 'src/threads/browser/threadMain.tsx',
      style: 'src/threads/browser/thread.css',
      width: 800,
      data: { thread: view.id },
      ...options,
      prepare: (host) => {
        host.answer(threadRequests.ready, () => {
          void host.notify(didUpdate, first);
          return {};
        });
        host.answer(threadRequests.load, () => ({ isFound: true }));
        options.prepare?.(host);
      },
    });
    await opened.page.locator('.thread:not([aria-busy])').waitFor();
    await drawn(opened.page);
    return { ...opened, tell: (update) => opened.host.notify(didUpdate, update) };
  }
}

/**
 * What is gone to is marked only for a moment. This remembers it from now on; the function that is returned waits until
 * the entry was marked.
 */
export async function watchGoals(page: Page): Promise<(entryId: string) => Promise<void>> {
  const seen = await page.evaluateHandle(() => {
    const ids = new Set<string | undefined>();
    new MutationObserver((records) => {
      for (const { target } of records)
        if (target instanceof HTMLElement && 'goal' in target.dataset) ids.add(target.dataset['entry']);
    }).observe(document, { subtree: true, attributeFilter: ['data-goal'] });
    return ids;
  });
  return async (entryId) => {
    await page.waitForFunction(([ids, wanted]) => ids.has(wanted), [seen, entryId] as const);
  };
}
