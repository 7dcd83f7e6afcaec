import { raceSignal, withDeadline, type Clock } from '../../../base/common/async';
import { TimeoutError } from '../../../base/common/errors';
import { LateAnswerError } from '../languagePort';
import { ToolError } from '../toolError';

/** Questions of one group: a language server that hangs is not asked without end, and the others are asked as ever. */
const maxOpen = 16;
/** A question that is open for so long will never be answered. */
const givenUpMs = 60_000;

export interface Question<T> {
  /** Questions with the same key are the same. */
  readonly key: string;
  /** Who answers it, as far as that is known: for example the extension of a file. */
  readonly group: string;
  ask(): Promise<T>;
}

interface OpenQuestion {
  readonly group: string;
  /** Of the monotonic clock, in milliseconds. */
  readonly since: number;
  /** Never rejects. */
  readonly end: Promise<void>;
}

/**
 * Asks questions that cannot be cancelled: who asks waits for a time, or until the answer is not wanted any more. A question
 * is not asked again while it is open; who asks it waits for its end first.
 */
export class LanguageQuestions {
  private readonly open = new Map<string, OpenQuestion>();

  constructor(
    private readonly clock: Clock,
    private readonly answerMs: number,
  ) {}

  /** Questions that have no answer yet, whether or not somebody waits, but for those that were given up. */
  get size(): number {
    return this.open.size;
  }

  /**
   * @throws LateAnswerError; ToolError when too many questions of the group are open; Error when the signal fires; what the
   *   question throws
   */
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
