// A host that has a long thread, and gives its page parts of it as the extension does.
import { didUpdate, threadRequests } from '../../../../src/threads/common/page/threadApi';
import type { Entry } from '../../../../src/transcript/common/entries';
import type { FakeHost } from '../../support/fakeHost';
import { TranscriptHost } from '../../support/transcriptHost';
import { snapshot } from './threadFixtures';
import type { ThreadHere, ThreadPages } from './threadPages';

export interface LongThreadHere extends ThreadHere {
  /** Entries that come at the end. */
  readonly grow: (entries: readonly Entry[]) => Promise<void>;
  /** How many entries the page was given so far. */
  readonly sentCount: () => number;
}

export async function openLongThread(pages: ThreadPages, all: readonly Entry[]): Promise<LongThreadHere> {
  const transcript = new TranscriptHost(all, (patch) => here.host.notify(didUpdate, { transcript: patch }));
  const prepare = (host: FakeHost): void => {
    host.answer(threadRequests.load, (request) => transcript.load(request));
    host.answer(threadRequests.find, ({ query }) => transcript.find(query));
  };
  const here = await pages.openThread({ ...snapshot({}, all), transcript: transcript.takePatch() }, { prepare });
  return {
    ...here,
    grow: (entries) => transcript.grow(entries),
    sentCount: () => transcript.sentCount,
  };
}
