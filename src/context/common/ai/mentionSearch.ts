import { raceSignal, withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { ProviderRef } from '../items/contextItem';
import type { Mention, MentionsParams } from './providerMention';
import type { ProviderHandle } from '../providers/providerHandle';

export interface FoundMention {
  readonly provider: ProviderRef;
  readonly mention: Mention;
}

export interface MentionSearchOptions {
  /** How long the answer waits, in milliseconds. Later results are in the next answer for the same query. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** How long a complete answer is reused for the same query, in milliseconds. */
const freshMs = 5_000;

interface ProviderSearch {
  readonly provider: ProviderRef;
  /** Resolves when the search has ended, even if it failed. */
  readonly whenEnded: Promise<void>;
  mentions: readonly Mention[] | undefined;
  hasEnded: boolean;
}

interface QuerySearch {
  readonly key: string;
  readonly query: string;
  readonly controller: AbortController;
  readonly providerSearches: readonly ProviderSearch[];
  readonly startedAtMs: number;
}

/** Searches mentions for one query at a time, while the user types. A new query cancels the previous search. */
export class MentionSearch implements Disposable {
  private currentSearch: QuerySearch | undefined;

  constructor(private readonly clock: Clock) {}

  /** Whether the current search is for this query and a provider has not answered yet. */
  isWaiting(query: string): boolean {
    return pendingOf(this.currentSearchFor(query)).length > 0;
  }

  /** Returns the results that arrive in time, with those of different providers alternating. Never rejects. */
  async search(
    handles: readonly ProviderHandle[],
    params: MentionsParams,
    { waitMs, signal }: MentionSearchOptions,
  ): Promise<readonly FoundMention[]> {
    const round = this.startSearch(handles, params);
    await this.waitForAnswers(round.providerSearches, waitMs, signal);
    return interleaveMentions(round.providerSearches);
  }

  /** Waits for another provider's answer. Never rejects. @returns whether the query is still the current one */
  async waitForMoreAnswers(query: string, signal: AbortSignal): Promise<boolean> {
    const round = this.currentSearchFor(query);
    if (!round || isAborted(signal)) return false;
    const pending = pendingOf(round);
    if (pending.length === 0) return true;
    await raceSignal(Promise.race(pending.map(({ whenEnded }) => whenEnded)), signal, cancelledError).catch(
      () => undefined,
    );
    return !isAborted(signal) && this.currentSearchFor(query) !== undefined;
  }

  dispose(): void {
    this.currentSearch?.controller.abort();
    this.currentSearch = undefined;
  }

  private currentSearchFor(query: string): QuerySearch | undefined {
    return this.currentSearch?.query === query ? this.currentSearch : undefined;
  }

  private startSearch(handles: readonly ProviderHandle[], params: MentionsParams): QuerySearch {
    const key = JSON.stringify([params, handles.map(({ providerRef: ref }) => ref.id)]);
    const now = this.clock.monotonicNow();
    const { currentSearch } = this;
    if (
      currentSearch?.key === key &&
      (pendingOf(currentSearch).length > 0 || now - currentSearch.startedAtMs < freshMs)
    )
      return currentSearch;
    currentSearch?.controller.abort();
    const controller = new AbortController();
    const asked = handles.filter(({ isLookupPaused }) => !isLookupPaused);
    const providerSearches = asked.map((handle) => this.searchProvider(handle, params, controller.signal));
    this.currentSearch = { key, query: params.query, controller, providerSearches, startedAtMs: now };
    return this.currentSearch;
  }

  private searchProvider(handle: ProviderHandle, params: MentionsParams, signal: AbortSignal): ProviderSearch {
    const search: { -readonly [K in keyof ProviderSearch]: ProviderSearch[K] } = {
      provider: handle.providerRef,
      whenEnded: Promise.resolve(),
      mentions: undefined,
      hasEnded: false,
    };
    const run = async (): Promise<void> => {
      try {
        search.mentions = await handle.mentions(params, signal);
      } catch {
        // The status shows the error.
      }
      search.hasEnded = true;
    };
    search.whenEnded = run();
    return search;
  }

  private async waitForAnswers(
    providerSearches: readonly ProviderSearch[],
    waitMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const answered = Promise.all(providerSearches.map(({ whenEnded }) => whenEnded));
    await withDeadline(this.clock, 'looking for mentions', waitMs, () =>
      raceSignal(answered, signal, cancelledError),
    ).catch(() => undefined);
  }
}

function pendingOf(round: QuerySearch | undefined): readonly ProviderSearch[] {
  return (round?.providerSearches ?? []).filter(({ hasEnded }) => !hasEnded);
}

/** Creates the error for a cancelled search. Users never see it, because the results that have arrived are returned. */
function cancelledError(): Error {
  return new Error('The request was canceled.');
}

function interleaveMentions(providerSearches: readonly ProviderSearch[]): FoundMention[] {
  const longest = Math.max(0, ...providerSearches.map(({ mentions }) => mentions?.length ?? 0));
  const rounds = Array.from({ length: longest }, (_, index) =>
    providerSearches.flatMap(({ provider, mentions }) => {
      const mention = mentions?.[index];
      return mention ? [{ provider, mention }] : [];
    }),
  );
  return rounds.flat();
}

/** Reads `aborted` in a function, because TypeScript would otherwise assume the value of an earlier check. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}
