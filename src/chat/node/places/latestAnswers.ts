import { withDeadline, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';

/** Time in milliseconds after which a failed question is asked again. */
const retriesMs = [1000, 4000, 16_000];

interface LatestAnswersDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** What a question does, for the log. */
  readonly what: string;
  /** How long `ask` waits. */
  readonly timeoutMs: number;
}

type Question<Answer> = () => Promise<Answer>;

/**
 * The newest answers to questions to a slow disk. A question is not waited for longer than its time limit, but its answer
 * counts whenever it comes, unless a later question was answered before it. A question that fails is asked again.
 */
export class LatestAnswers<Answer> implements Disposable {
  private readonly answerByKey = new Map<string, { readonly number: number; readonly answer: Answer }>();
  /** The questions that have passed their time limit, each with the one that is asked next. */
  private readonly lateByKey = new Map<string, Question<Answer> | undefined>();
  private readonly timers = new DisposableStore();
  private readonly lateEmitter = new Emitter<void>((error) => this.deps.log.error('a listener failed', error));
  /** An answer has come that nobody waits for any more. */
  readonly onDidAnswerLate = this.lateEmitter.event;
  private count = 0;
  private noted = 0;

  constructor(private readonly deps: LatestAnswersDeps) {}

  /** A number that differs after each answer. */
  get version(): number {
    return this.noted;
  }

  has(key: string): boolean {
    return this.answerByKey.has(key);
  }

  get(key: string): Answer | undefined {
    return this.answerByKey.get(key)?.answer;
  }

  /** Resolves when there is an answer, at the latest at the time limit. Never rejects. */
  async ask(key: string, question: Question<Answer>): Promise<void> {
    // A disk that hangs keeps a thread for each question.
    if (this.lateByKey.has(key)) this.lateByKey.set(key, question);
    else await this.askNow(key, question, false, 0);
  }

  dispose(): void {
    this.timers.dispose();
    this.lateEmitter.dispose();
  }

  private async askNow(key: string, question: Question<Answer>, isRetry: boolean, attempt: number): Promise<void> {
    const { clock, timeoutMs, what } = this.deps;
    const number = ++this.count;
    let isLate = isRetry;
    let isSettled = false;
    const settled = question().then(
      (answer) => {
        isSettled = true;
        this.note(key, { number, answer }, isLate);
        this.askNext(key);
      },
      (error: unknown) => {
        isSettled = true;
        this.deps.log.debug(`Failed ${what}: ${messageOf(error)}`);
        this.askAgain(key, question, attempt);
        this.askNext(key);
      },
    );
    await withDeadline(clock, what, timeoutMs, () => settled).catch(() => {
      if (isSettled) return;
      isLate = true;
      this.lateByKey.set(key, this.lateByKey.get(key));
    });
  }

  private note(key: string, answer: { readonly number: number; readonly answer: Answer }, isLate: boolean): void {
    if ((this.answerByKey.get(key)?.number ?? 0) > answer.number) return;
    this.answerByKey.set(key, answer);
    this.noted++;
    if (isLate && !this.timers.isDisposed) this.lateEmitter.fire();
  }

  private askAgain(key: string, question: Question<Answer>, attempt: number): void {
    const delayMs = retriesMs[attempt];
    const before = this.count;
    if (delayMs === undefined) return;
    const timer = this.deps.clock.setTimer(delayMs, () => {
      this.timers.removeWithoutDisposing(timer);
      if ((this.answerByKey.get(key)?.number ?? 0) <= before) void this.askNow(key, question, true, attempt + 1);
    });
    this.timers.add(timer);
  }

  /** Asks what was not asked while the disk was hanging. */
  private askNext(key: string): void {
    const next = this.lateByKey.get(key);
    this.lateByKey.delete(key);
    if (next && !this.timers.isDisposed) void this.askNow(key, next, true, 0);
  }
}
