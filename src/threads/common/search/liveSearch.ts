import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Event } from '../../../base/common/event';
import type { ThreadHead } from '../threadPorts';
import type { TextCoverage } from '../../../texts/common/searchableText';
import type { FoundThread, ThreadSearchResults } from './threadSearch';

export interface LiveSearchDeps {
  /** Searches the threads on this machine. @throws ThreadError */
  readonly search: (query: string) => Promise<ThreadSearchResults>;
  /** Searches the account, best match first. Empty if the account is unavailable. @throws ThreadError */
  readonly searchAccount: (query: string, signal: AbortSignal) => Promise<readonly ThreadHead[]>;
  readonly onDidChangeCoverage: Event<TextCoverage>;
  readonly clock: Clock;
}

/** The current state of a search. */
export interface LiveSearchState {
  /** The results, best match first. Threads that only the account search has found come last. */
  readonly found: readonly FoundThread[];
  /** Whether more results may follow. */
  readonly isBusy: boolean;
  /** Notes for the user, for example about threads that are not indexed yet. */
  readonly notes: readonly string[];
}

const typingDelayMs = 120;
/** Longer than the delay of local searches, because each account search starts a command that uses the network. */
const accountDelayMs = 300;
const coverageDelayMs = 1_000;

/** Repeats the search while the user types and while the index grows. Drops results of previous queries. */
export class LiveSearch implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly typingCoalescer: Coalescer;
  private readonly coverageCoalescer: Coalescer;
  private query = '';
  private localResults: readonly FoundThread[] = [];
  private accountResults: readonly ThreadHead[] = [];
  private coverage: TextCoverage = { indexed: 0, total: 0 };
  private localProblem: string | undefined;
  private accountProblem: string | undefined;
  private isSearchingLocally = false;
  /** Number of the current search. Results of other searches are dropped. */
  private searchNumber = 0;
  private accountTimer: Disposable | undefined;
  private accountAbortController: AbortController | undefined;

  constructor(
    private readonly deps: LiveSearchDeps,
    private readonly showState: (view: LiveSearchState) => void,
  ) {
    this.typingCoalescer = this.disposables.add(
      new Coalescer(deps.clock, typingDelayMs, () => void this.searchLocally()),
    );
    this.coverageCoalescer = this.disposables.add(
      new Coalescer(deps.clock, coverageDelayMs, () => void this.searchLocally()),
    );
    this.disposables.add({ dispose: () => this.resetAccountSearch() });
  }

  start(): void {
    this.disposables.add(
      this.deps.onDidChangeCoverage((coverage) => {
        const hasGrown = coverage.indexed > this.coverage.indexed || coverage.total !== this.coverage.total;
        this.coverage = coverage;
        if (hasGrown && this.query !== '') this.coverageCoalescer.schedule();
      }),
    );
  }

  /** Sets the query. An empty query ends the search, and the caller shows other data instead of results. */
  setQuery(query: string): void {
    if (query === this.query) return;
    this.query = query;
    this.searchNumber++;
    this.resetAccountSearch();
    if (query === '') {
      this.localResults = [];
      this.localProblem = undefined;
      this.typingCoalescer.dispose();
      this.coverageCoalescer.dispose();
      return;
    }
    this.isSearchingLocally = true;
    this.typingCoalescer.schedule();
    this.accountTimer = this.deps.clock.setTimer(accountDelayMs, () => void this.searchAccount());
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async searchLocally(): Promise<void> {
    const number = ++this.searchNumber;
    this.isSearchingLocally = true;
    try {
      const { found, coverage } = await this.deps.search(this.query);
      if (number !== this.searchNumber) return;
      this.localResults = found;
      this.coverage = coverage;
      this.localProblem = undefined;
    } catch (error) {
      if (number !== this.searchNumber) return;
      this.localProblem = messageOf(error);
    }
    this.isSearchingLocally = false;
    this.showResults();
  }

  private async searchAccount(): Promise<void> {
    this.accountTimer = undefined;
    const abort = new AbortController();
    this.accountAbortController = abort;
    try {
      const heads = await this.deps.searchAccount(this.query, abort.signal);
      if (abort !== this.accountAbortController) return;
      this.accountResults = heads;
    } catch (error) {
      if (abort !== this.accountAbortController) return;
      this.accountProblem = messageOf(error);
    }
    this.accountAbortController = undefined;
    // If the local search is still running, its results will be shown together with these.
    if (!this.isSearchingLocally) this.showResults();
  }

  private resetAccountSearch(): void {
    this.accountTimer?.dispose();
    this.accountTimer = undefined;
    this.accountAbortController?.abort();
    this.accountAbortController = undefined;
    this.accountResults = [];
    this.accountProblem = undefined;
  }

  private showResults(): void {
    if (this.disposables.isDisposed) return;
    const { indexed, total } = this.coverage;
    const isAccountPending = this.accountTimer !== undefined || this.accountAbortController !== undefined;
    this.showState({
      found: [...this.localResults, ...this.accountOnlyResults()],
      isBusy: this.isSearchingLocally || isAccountPending || indexed < total,
      notes: [
        ...(this.localProblem === undefined ? [] : [this.localProblem]),
        ...(indexed < total ? [`Indexed ${formatCount(indexed)} of ${formatCount(total)} threads.`] : []),
        ...(this.accountProblem === undefined ? [] : [`Amp account: ${this.accountProblem}`]),
      ],
    });
  }

  private accountOnlyResults(): readonly FoundThread[] {
    const known = new Set(this.localResults.map(({ head }) => head.id));
    return this.accountResults
      .filter(({ id }) => !known.has(id))
      .map((head) => ({ head, hit: { threadId: head.id, kind: 'title', snippet: '', score: 0 } }));
  }
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
