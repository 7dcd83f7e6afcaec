import { withDeadline, type Clock } from '../../../base/common/async';
import { TimeoutError } from '../../../base/common/errors';
import { LanguageServerTimeoutError } from '../languagePort';
import { ToolError } from '../toolError';

/** Limit of open queries per group, so that a hanging language server does not block the others. */
const maxOpenPerGroup = 16;
/** Time after which an unanswered query no longer counts as open. */
const abandonedAfterMs = 60_000;

export interface LanguageQuery<T> {
  /** Identifies equal queries. */
  readonly key: string;
  /** Which language server answers, as far as known; for example a file extension. */
  readonly group: string;
  ask(): Promise<T>;
}

interface OpenQuery {
  readonly group: string;
  /** On the monotonic clock. */
  readonly startedAtMs: number;
  /** Never rejects. */
  readonly whenEnded: Promise<void>;
}

/** Runs queries that cannot be cancelled, with a time-out for the callers. Equal queries run one after another. */
export class LanguageQueryRunner {
  private readonly openQueries = new Map<string, OpenQuery>();

  constructor(
    private readonly clock: Clock,
    private readonly answerTimeoutMs: number,
  ) {}

  /** Number of open queries. */
  get openCount(): number {
    return this.openQueries.size;
  }

  /**
   * @throws LanguageServerTimeoutError; ToolError for too many open queries; Error if `signal` fires; the query's error
   */
  async runQuery<T>(question: LanguageQuery<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    try {
      const run = (abandonSignal: AbortSignal): Promise<T> => this.runAfterEqualQuery(question, abandonSignal);
      return await withDeadline(this.clock, 'VS Code', this.answerTimeoutMs, run, {
        signal,
        reason: cancelledCallError,
      });
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      throw new LanguageServerTimeoutError(
        `VS Code did not answer within ${Math.round(this.answerTimeoutMs / 1_000)} s: a language server may be starting or hanging. Try again later, or use search.`,
      );
    }
  }

  private async runAfterEqualQuery<T>(question: LanguageQuery<T>, abandonSignal: AbortSignal): Promise<T> {
    const { key, group } = question;
    for (let before = this.openQueryWithKey(key); before; before = this.openQueryWithKey(key)) await before.whenEnded;
    abandonSignal.throwIfAborted();
    const startedAtMs = this.clock.monotonicNow();
    for (const [old, query] of this.openQueries) {
      if (startedAtMs - query.startedAtMs > abandonedAfterMs) this.openQueries.delete(old);
    }
    if ([...this.openQueries.values()].filter((each) => each.group === group).length >= maxOpenPerGroup) {
      throw new ToolError('VS Code is still working on earlier requests. Wait a while, or use search and read_file.');
    }
    const answer = question.ask();
    const forget = (): void => {
      if (this.openQueries.get(key)?.startedAtMs === startedAtMs) this.openQueries.delete(key);
    };
    this.openQueries.set(key, { group, startedAtMs, whenEnded: answer.then(forget, forget) });
    return await answer;
  }

  private openQueryWithKey(key: string): OpenQuery | undefined {
    const found = this.openQueries.get(key);
    return found && this.clock.monotonicNow() - found.startedAtMs <= abandonedAfterMs ? found : undefined;
  }
}

function cancelledCallError(): Error {
  return new Error('The call was cancelled.');
}
