import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Event } from '../../../base/common/event';
import type { TextCoverage, ThreadHead } from '../threadPorts';
import type { FoundThread, FoundThreads } from './threadSearch';

export interface LiveSearchPorts {
  /** On this machine. @throws ThreadError */
  readonly search: (query: string) => Promise<FoundThreads>;
  /** Through the account, best first; nothing when it cannot be asked. @throws ThreadError */
  readonly searchAccount: (query: string, signal: AbortSignal) => Promise<readonly ThreadHead[]>;
  readonly onDidChangeCoverage: Event<TextCoverage>;
  readonly clock: Clock;
}

/** What there is to show of a search at the moment. */
export interface SearchView {
  /** Best first; each thread of the account that was not found here is at the end. */
  readonly found: readonly FoundThread[];
  /** More may come by itself. */
  readonly isBusy: boolean;
  /** How complete it is, and what failed. */
  readonly notes: readonly string[];
}

const typingMs = 120;
/** The account is on a network, and each question is a command. */
const accountMs = 300;
const coverageMs = 1_000;

/**
 * A search while the query is typed and while the index grows: what this machine finds at once, and what the account finds when
 * it comes. Answers to what is not the query any more are dropped.
 */
export class LiveSearch implements Disposable {
  private readonly store = new DisposableStore();
  private readonly typed: Coalescer;
  private readonly covered: Coalescer;
  private query = '';
  private here: readonly FoundThread[] = [];
  private account: readonly ThreadHead[] = [];
  private coverage: TextCoverage = { indexed: 0, total: 0 };
  private problem: string | undefined;
  private accountProblem: string | undefined;
  private isSearching = false;
  /** Number of the question that counts. */
  private asked = 0;
  private accountTimer: Disposable | undefined;
  private askingAccount: AbortController | undefined;

  constructor(
    private readonly ports: LiveSearchPorts,
    private readonly show: (view: SearchView) => void,
  ) {
    this.typed = this.store.add(new Coalescer(ports.clock, typingMs, () => void this.search()));
    this.covered = this.store.add(new Coalescer(ports.clock, coverageMs, () => void this.search()));
    this.store.add({ dispose: () => this.forgetAccount() });
  }

  start(): void {
    this.store.add(
      this.ports.onDidChangeCoverage((coverage) => {
        const hasGrown = coverage.indexed > this.coverage.indexed || coverage.total !== this.coverage.total;
        this.coverage = coverage;
        if (hasGrown && this.query !== '') this.covered.schedule();
      }),
    );
  }

  /** An empty query finds nothing and shows nothing: that is the caller's. */
  change(query: string): void {
    if (query === this.query) return;
    this.query = query;
    this.asked++;
    this.forgetAccount();
    if (query === '') {
      this.here = [];
      this.problem = undefined;
      this.typed.dispose();
      this.covered.dispose();
      return;
    }
    this.isSearching = true;
    this.typed.schedule();
    this.accountTimer = this.ports.clock.setTimer(accountMs, () => void this.searchAccount());
  }

  dispose(): void {
    this.store.dispose();
  }

  private async search(): Promise<void> {
    const mine = ++this.asked;
    this.isSearching = true;
    try {
      const { found, coverage } = await this.ports.search(this.query);
      if (mine !== this.asked) return;
      this.here = found;
      this.coverage = coverage;
      this.problem = undefined;
    } catch (error) {
      if (mine !== this.asked) return;
      this.problem = messageOf(error);
    }
    this.isSearching = false;
    this.tell();
  }

  private async searchAccount(): Promise<void> {
    this.accountTimer = undefined;
    const asking = new AbortController();
    this.askingAccount = asking;
    try {
      const heads = await this.ports.searchAccount(this.query, asking.signal);
      if (asking !== this.askingAccount) return;
      this.account = heads;
    } catch (error) {
      if (asking !== this.askingAccount) return;
      this.accountProblem = messageOf(error);
    }
    this.askingAccount = undefined;
    // Else what is found here is still that of another query, and tells of both when it comes.
    if (!this.isSearching) this.tell();
  }

  private forgetAccount(): void {
    this.accountTimer?.dispose();
    this.accountTimer = undefined;
    this.askingAccount?.abort();
    this.askingAccount = undefined;
    this.account = [];
    this.accountProblem = undefined;
  }

  private tell(): void {
    if (this.store.isDisposed) return;
    const { indexed, total } = this.coverage;
    const isWaiting = this.accountTimer !== undefined || this.askingAccount !== undefined;
    this.show({
      found: [...this.here, ...this.inAccountOnly()],
      isBusy: this.isSearching || isWaiting || indexed < total,
      notes: [
        ...(this.problem === undefined ? [] : [this.problem]),
        ...(indexed < total ? [`Indexed ${withCommas(indexed)} of ${withCommas(total)} threads.`] : []),
        ...(this.accountProblem === undefined ? [] : [`Amp account: ${this.accountProblem}`]),
      ],
    });
  }

  private inAccountOnly(): readonly FoundThread[] {
    const known = new Set(this.here.map(({ head }) => head.id));
    return this.account
      .filter(({ id }) => !known.has(id))
      .map((head) => ({ head, hit: { threadId: head.id, kind: 'title', snippet: '', score: 0 } }));
  }
}

function withCommas(count: number): string {
  return count.toLocaleString('en-US');
}
