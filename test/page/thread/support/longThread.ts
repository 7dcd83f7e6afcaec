// A host that has a long thread, and gives its page parts of it as the extension does.
import { didUpdate, threadRequests } from '../../../../src/threads/common/page/threadApi';
import { findEntries } from '../../../../src/threads/common/page/threadFind';
import type { Entry } from '../../../../src/transcript/common/entries';
import { TranscriptDocument } from '../../../../src/transcript/common/transcriptDocument';
import type { FakeHost } from '../../support/fakeHost';
import { snapshot } from './threadFixtures';
import type { ThreadHere, ThreadPages } from './threadPages';

/** How many the page has at first. */
const tail = 40;

export interface LongThreadHere extends ThreadHere {
  /** Entries that come at the end. */
  readonly grow: (entries: readonly Entry[]) => Promise<void>;
  /** How many entries the page was given so far. */
  readonly sentCount: () => number;
}

export async function openLongThread(pages: ThreadPages, all: readonly Entry[]): Promise<LongThreadHere> {
  const document = new TranscriptDocument((error) => {
    throw error;
  });
  document.replaceAll(all);
  const feed = document.createFeed(tail);
  let sent = 0;
  const tell = async (host: FakeHost): Promise<void> => {
    if (!feed.hasChanges) return;
    const transcript = feed.takePatch();
    for (const part of [transcript.put, transcript.older, transcript.later]) sent += part?.length ?? 0;
    await host.notify(didUpdate, { transcript });
  };
  const prepare = (host: FakeHost): void => {
    // The entries come after the answer.
    const tellSoon = (): void => void setTimeout(() => void tell(host), 5);
    host.answer(threadRequests.loadOlder, ({ count }) => {
      feed.showOlder(count);
      tellSoon();
      return {};
    });
    host.answer(threadRequests.loadLater, ({ count }) => {
      feed.showLater(count);
      tellSoon();
      return {};
    });
    host.answer(threadRequests.loadAround, ({ entryId }) => {
      const exists = feed.showAround(entryId);
      tellSoon();
      return { exists };
    });
    host.answer(threadRequests.loadLatest, () => {
      feed.restart(tail);
      tellSoon();
      return {};
    });
    host.answer(threadRequests.find, ({ query }) => ({ found: findEntries(document.entries(), query) }));
  };
  const transcript = feed.takePatch();
  const here = await pages.openThread({ ...snapshot({}, all), transcript }, { prepare });
  return {
    ...here,
    grow: async (entries) => {
      for (const entry of entries) document.put(entry);
      await tell(here.host);
    },
    sentCount: () => sent,
  };
}
