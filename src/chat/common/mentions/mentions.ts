import type { PromptAttachment } from '../../../session/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { MentionSource } from './mentionSource';
import type { DraftAttachment, MentionRow } from '../chatView';

const searchTimeoutMs = 2_000;
const maxRows = 50;
/** How long to wait for more results while the list is open. */
const lateTimeoutMs = 15_000;

/** Finds and resolves mentions. A source that fails or is slow doesn't affect the others. */
export class Mentions {
  /** `sources` are in the order in which their rows are shown. */
  constructor(
    private readonly sources: readonly MentionSource[],
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Returns rows of all sources, or of one kind. Within each source, the best match comes first. Never rejects. */
  async search(query: string, kind: string | undefined, signal: AbortSignal): Promise<MentionRow[]> {
    const found = await Promise.all(this.sourcesOf(kind).map((source) => this.searchOne(source, query, signal)));
    const rows = found.flat();
    const isLoose = (row: MentionRow): boolean => isLooseMatch(row, query);
    return [...rows.filter((row) => !isLoose(row)), ...rows.filter(isLoose)].slice(0, maxRows);
  }

  /** Whether a source is still collecting results for the query. */
  isSearching(query: string, kind: string | undefined): boolean {
    return this.sourcesOf(kind).some((source) => source.isSearching?.(query) === true);
  }

  /**
   * Waits until a source has more results for the query, then returns all rows. Empty if there are no more, or if
   * another page has started a search, because searching again would cancel that search. Never rejects.
   */
  async waitForMoreRows(query: string, kind: string | undefined, signal: AbortSignal): Promise<MentionRow[]> {
    const all = this.sourcesOf(kind).filter((source) => source.waitForMore !== undefined);
    if (all.length === 0) return [];
    const searching = all.filter((source) => source.isSearching?.(query) === true);
    // If no source is searching, the search has ended after `isSearching` was called.
    const awaited = searching.length > 0 ? searching : all;
    const more = withDeadline(this.clock, 'looking for more', lateTimeoutMs, (deadline) =>
      Promise.race(
        awaited.map(async (source) => await source.waitForMore?.(query, AbortSignal.any([signal, deadline]))),
      ),
    );
    const isMore = await more.catch((error: unknown) => this.log.debug(messageOf(error)));
    return isMore === true ? await this.search(query, kind, signal) : [];
  }

  /** Returns the content to send for an attachment. Empty if there is nothing left to send. @throws EditorError */
  async resolve(
    attachment: DraftAttachment,
    signal: AbortSignal,
    conversation: string,
  ): Promise<readonly PromptAttachment[]> {
    const source = this.sources.find(({ kind }) => kind === attachment.kind);
    return source ? await source.resolve(attachment, signal, conversation) : [];
  }

  /** Tells the sources what became of attachments that were sent. Never rejects. */
  async noteOutcome(
    attachments: readonly DraftAttachment[],
    conversation: string,
    outcome: 'accepted' | 'withdrawn',
  ): Promise<void> {
    for (const attachment of attachments) {
      const source = this.sources.find(({ kind }) => kind === attachment.kind);
      await source?.noteOutcome?.(attachment, conversation, outcome).catch((error: unknown) => {
        this.log.error(`cannot note what became of ${attachment.kind}`, error);
      });
    }
  }

  private sourcesOf(kind: string | undefined): readonly MentionSource[] {
    return this.sources.filter((source) => kind === undefined || source.kind === kind);
  }

  private async searchOne(source: MentionSource, query: string, signal: AbortSignal): Promise<readonly MentionRow[]> {
    try {
      return await withDeadline(this.clock, `looking for ${source.kind}`, searchTimeoutMs, (deadline) =>
        source.search(query, AbortSignal.any([signal, deadline])),
      );
    } catch (error) {
      if (!signal.aborted) this.log.error(`cannot look for ${source.kind}`, error);
      return [];
    }
  }
}

/** Whether an item matches only by scattered characters. Such rows come after exact matches of all sources. */
function isLooseMatch({ kind, title, detail = '' }: MentionRow, query: string): boolean {
  if (kind !== 'file' && kind !== 'folder') return false;
  const wanted = query.toLowerCase().replaceAll('\\', '/');
  return !`${detail}/${title}`.toLowerCase().includes(wanted);
}

/** Returns the items whose paths agents may access, in the same order. */
export async function filterReadableItems<Item extends { readonly path: string }>(
  editor: Pick<EditorPort, 'resolve'>,
  items: readonly Item[],
): Promise<Item[]> {
  const found = await Promise.allSettled(items.map(({ path }) => editor.resolve(path)));
  return items.filter((_, index) => found[index]?.status === 'fulfilled');
}

/** Estimates the number of tokens without the model's tokenizer. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** Whether the query is empty or is the start of one of the row's keywords. */
export function matchesKeyword(query: string, ...words: readonly string[]): boolean {
  const wanted = query.trim().toLowerCase();
  return words.some((word) => word.startsWith(wanted));
}
