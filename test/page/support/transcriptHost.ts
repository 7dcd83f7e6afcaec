// Has a transcript, and gives a page parts of it as the extension does.
import { findEntries, type FoundEntry } from '../../../src/transcript/common/findEntries';
import type { Entry } from '../../../src/transcript/common/entries';
import type { LoadAnswer, LoadRequest } from '../../../src/transcript/common/loadRequest';
import type { TranscriptPatch } from '../../../src/transcript/common/patch';
import { TranscriptDocument } from '../../../src/transcript/common/transcriptDocument';
import { initialEntryCount } from '../../../src/transcript/common/transcriptFeed';

export class TranscriptHost {
  private readonly document = new TranscriptDocument((error) => {
    throw error;
  });
  private readonly feed;
  private sent = 0;

  /** `tell` sends a patch to the page. */
  constructor(
    all: readonly Entry[],
    private readonly tell: (patch: TranscriptPatch) => Promise<void>,
  ) {
    this.document.replaceAll(all);
    this.feed = this.document.createFeed(initialEntryCount);
  }

  /** How many entries the page was given so far. */
  get sentCount(): number {
    return this.sent;
  }

  takePatch(): TranscriptPatch {
    const patch = this.feed.takePatch();
    for (const part of [patch.put, patch.older, patch.later]) this.sent += part?.length ?? 0;
    return patch;
  }

  /** The entries come before the answer. */
  async load(request: LoadRequest): Promise<LoadAnswer> {
    const answer = this.feed.load(request);
    await this.tellChanges();
    return answer;
  }

  async find(query: string): Promise<{ found: FoundEntry[] }> {
    return { found: await findEntries(this.document, query, { pause: () => Promise.resolve() }) };
  }

  /** Entries that come at the end. */
  async grow(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) this.document.put(entry);
    await this.tellChanges();
  }

  private async tellChanges(): Promise<void> {
    if (this.feed.hasChanges) await this.tell(this.takePatch());
  }
}
