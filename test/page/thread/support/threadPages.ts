// Opens the page of a thread with a host that tells it a first state.
import type { Page } from 'playwright-core';
import { didUpdate, threadRequests } from '../../../../src/threads/common/threadApi';
import { PageHarness, type OpenedPage, type PageOptions } from '../../support/pageHarness';
import { snapshot, view, type Update } from './threadFixtures';

export interface ThreadHere extends OpenedPage {
  readonly tell: (update: Update) => Promise<void>;
}

export class ThreadPages extends PageHarness {
  /** The page has drawn the first state. */
  async openThread(first: Update = snapshot(), options: Partial<PageOptions> = {}): Promise<ThreadHere> {
    const opened = await this.openPage({
      entry: 'src/threads/browser/main.tsx',
      style: 'src/threads/browser/thread.css',
      width: 800,
      data: { thread: view.id },
      ...options,
      prepare: (host) => {
        host.answer(threadRequests.ready, () => {
          void host.notify(didUpdate, first);
          return {};
        });
        options.prepare?.(host);
      },
    });
    await opened.page.locator('.thread:not([aria-busy])').waitFor();
    await drawn(opened.page);
    return { ...opened, tell: (update) => opened.host.notify(didUpdate, update) };
  }
}

/** Until the browser has drawn what it was told. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 6; frame++) await new Promise(requestAnimationFrame);
  });
}
