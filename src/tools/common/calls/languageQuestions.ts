import { raceSignal, withDeadline, type Clock } from '../../../base/common/async';
import { TimeoutError } from '../../../base/common/errors';
import { LateAnswerError } from '../languagePort';
import { ToolError } from '../toolError';

/** Limit of open queries per group, so that a hanging language server does not block the others. */
const maxOpen = 16;
/** After this time, a query counts as abandoned. */
const givenUpMs = 60_000;

export interface Question<T> {
  /** Identifies equal queries. */
  readonly key: string;
  /** Which language server answers, as far as known; for example a file extension. */
  readonly group: string;
  ask(): Promise<T>;
}

interface OpenQuestion {
  readonly group: string;
  /** On the monotonic clock. */
  readonly since: number;
  /** Never rejects. */
  readonly end: Promise<void>;
}

/**
 * Runs queries that cannot be cancelled: callers wait for a limited time. A query that is still open is not started
 * again; callers wait for its end first.
 */
export class LanguageQuestions {
  private readonly open = new Map<string, OpenQuestion>();

  constructor(
    private readonly clock: Clock,
    private readonly answerMs: number,
  ) {}

  /** Unanswered queries, without abandoned ones. */
  get size(): number {
    return this.open.size;
  }

  /** @throws LateAnswerError; ToolError for too many open queries; Error if `signal` fires; the query's error */
  async ask<T>(question: Question<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    try {
      return await withDeadline(this.clock, 'VS Code', this.answerMs, (late) =>
        raceSignal(this.askInTurn(question, AbortSignal.any([late, signal])), signal, cancelledCall),
      );
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      throw new LateAnswerError(
        `VS Code had no answer within ${Math.round(this.answerMs / 1_000)} s: a language server may be starting, or hang. Ask again later, or use search.`,
      );
    }
  }

  private async askInTurn<T>(question: Question<T>, unwanted: AbortSignal): Promise<T> {
    const { key, group } = question;
    for (let before = this.openAt(key); before; before = this.openAt(key)) await before.end;
    unwanted.throwIfAborted();
    const since = this.clock.monotonicNow();
    for (const [old, { since: begun }] of this.open) if (since - begun > givenUpMs) this.open.delete(old);
    if ([...this.open.values()].filter((each) => each.group === group).length >= maxOpen) {
      throw new ToolError('VS Code still works on earlier questions. Wait a while, or use search and read_file.');
    }
    const answer = question.ask();
    const forget = (): void => {
      if (this.open.get(key)?.since === since) this.open.delete(key);
    };
    this.open.set(key, { group, since, end: answer.then(forget, forget) });
    return await answer;
  }

  private openAt(key: string): OpenQuestion | undefined {
    const found = this.open.get(key);
    return found && this.clock.monotonicNow() - found.since <= givenUpMs ? found : undefined;
  }
}

function cancelledCall(): Error {
  return new Error('The call was cancelled.');
}
