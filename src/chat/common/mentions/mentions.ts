import type { PromptAttachment } from '../../../session/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { MentionSource } from '../chatPorts';
import type { DraftAttachment, MentionRow } from '../chatView';

/** Nobody waits longer for the list to come up. */
const searchTimeoutMs = 2_000;
const maxRows = 50;
/** What has not come by then does not come while somebody looks at the list. */
const lateTimeoutMs = 15_000;

/** All that `@` finds, and what is sent for it. A source that fails or is slow takes nothing from the others. */
export class Mentions {
  /** `sources` in the order of their rows. */
  constructor(
    private readonly sources: readonly MentionSource[],
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Rows of the sources of one kind, or of all; best first within each source. Never rejects. */
  async search(query: string, kind: string | undefined, signal: AbortSignal): Promise<MentionRow[]> {
    const found = await Promise.all(this.of(kind).map((source) => this.ask(source, query, signal)));
    const rows = found.flat();
    const isLoose = (row: MentionRow): boolean => isLooseMatch(row, query);
    return [...rows.filter((row) => !isLoose(row)), ...rows.filter(isLoose)].slice(0, maxRows);
  }

  /** Whether a source has more on its way for the same search. */
  isSearching(query: string, kind: string | undefined): boolean {
    return this.of(kind).some((source) => source.isSearching?.(query) === true);
  }

  /**
   * What a source has found since for the same search, as soon as there is more. Nothing when there will not be any, or
   * when another page searches now: to search again would end what that page waits for. Never rejects.
   */
  async searchMore(query: string, kind: string | undefined, signal: AbortSignal): Promise<MentionRow[]> {
    const all = this.of(kind).filter((source) => source.next !== undefined);
    if (all.length === 0) return [];
    const searching = all.filter((source) => source.isSearching?.(query) === true);
    // Without one, what was searched for has ended since it was asked about.
    const asked = searching.length > 0 ? searching : all;
    const more = withDeadline(this.clock, 'looking for more', lateTimeoutMs, (deadline) =>
      Promise.race(asked.map(async (source) => await source.next?.(query, AbortSignal.any([signal, deadline])))),
    );
    const isMore = await more.catch((error: unknown) => this.log.debug(messageOf(error)));
    return isMore === true ? await this.search(query, kind, signal) : [];
  }

  /** What goes to the backend for an attachment; empty when there is nothing any more. @throws EditorError */
  async resolve(attachment: DraftAttachment, signal: AbortSignal): Promise<readonly PromptAttachment[]> {
    const source = this.sources.find(({ kind }) => kind === attachment.kind);
    return source ? await source.resolve(attachment, signal) : [];
  }

  private of(kind: string | undefined): readonly MentionSource[] {
    return this.sources.filter((source) => kind === undefined || source.kind === kind);
  }

  private async ask(source: MentionSource, query: string, signal: AbortSignal): Promise<readonly MentionRow[]> {
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

/** Files and folders are also found by some letters of their paths: less likely meant than what is called so. */
function isLooseMatch({ kind, title, detail = '' }: MentionRow, query: string): boolean {
  if (kind !== 'file' && kind !== 'folder') return false;
  const wanted = query.toLowerCase().replaceAll('\\', '/');
  return !`${detail}/${title}`.toLowerCase().includes(wanted);
}

/** A rough count, as good as one can be without the model's own tokenizer. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / 4);
}

/** Whether a row that is always the same is asked for: by the beginning of one of its words, or of nothing. */
export function isAskedFor(query: string, ...words: readonly string[]): boolean {
  const wanted = query.trim().toLowerCase();
  return words.some((word) => word.startsWith(wanted));
}
