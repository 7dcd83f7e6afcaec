import { withDeadline, type Clock } from '../../base/common/async';
import { TimeoutError } from '../../base/common/errors';
import { LateAnswerError } from './languagePort';
import { ToolError } from './toolError';

/** Questions to language servers cannot be ended, and one that hangs must not be asked without end. */
const maxOpen = 64;

/**
 * Asks questions that cannot be cancelled: who asks waits for a time, or until the answer is not wanted any more. A question
 * is not asked again while it is open; who asks it waits for its end first.
 */
export class OpenQuestions {
  private readonly open = new Map<string, Promise<void>>();

  constructor(
    private readonly clock: Clock,
    private readonly answerMs: number,
  ) {}

  /** Questions that have no answer yet, whether or not somebody waits. */
  get size(): number {
    return this.open.size;
  }

  /**
   * `key` names the question.
   * @throws LateAnswerError; ToolError when too many questions are open; Error when the signal fires; what `question` throws
   */
  async ask<T>(key: string, signal: AbortSignal, question: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const cancelled = new AbortController();
    const onAbort = (): void => cancelled.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await withDeadline(this.clock, 'VS Code', this.answerMs, (late) =>
        unlessAborted(cancelled.signal, this.askInTurn(key, AbortSignal.any([late, cancelled.signal]), question)),
      );
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      throw new LateAnswerError(
        `VS Code had no answer within ${Math.round(this.answerMs / 1_000)} s: a language server may be starting, or hang. Ask again later, or use search.`,
      );
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  private async askInTurn<T>(key: string, unwanted: AbortSignal, question: () => Promise<T>): Promise<T> {
    for (let before = this.open.get(key); before; before = this.open.get(key)) await before;
    unwanted.throwIfAborted();
    if (this.open.size >= maxOpen) {
      throw new ToolError('VS Code still works on earlier questions. Wait a while, or use search and read_file.');
    }
    const answer = question();
    const end = answer.then(
      () => undefined,
      () => undefined,
    );
    this.open.set(
      key,
      end.then(() => void this.open.delete(key)),
    );
    return await answer;
  }
}

async function unlessAborted<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new Error('The call was cancelled.'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([answer, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
