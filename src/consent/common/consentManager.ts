import { KeyedQueue } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import { subjectIdentity, type ConsentSubjectKind, type ConsentSubject } from './consentSubject';
import type { ConsentAnswer, ConsentStore } from './consentStore';

export type ConsentDecision = ConsentAnswer | 'ask';

/** Why the answer is needed. `background`: not asked again in this window after the user dismissed it. */
type ConsentReason = 'user' | 'background';

/** Permission to run content that a workspace defines. The caller checks workspace trust first. */
export interface ConsentPort {
  readonly onDidChange: Event<void>;
  /** Returns the stored decision without asking the user. Also records that the subject exists. */
  registerAndDecide(subject: ConsentSubject): ConsentDecision;
  /** Removes the subjects of these kinds that the workspace no longer defines. Stored answers are kept. */
  forgetMissing(kinds: readonly ConsentSubjectKind[], isNamed: (subject: ConsentSubject) => boolean): void;
  /** Asks the user if there is no answer yet. Returns `ask` if the user dismisses the question. */
  askIfUndecided(subject: ConsentSubject, reason: ConsentReason): Promise<ConsentDecision>;
  /** Asks the user even if there is an answer. If the user dismisses the question, nothing changes. */
  askAgain(subject: ConsentSubject): Promise<ConsentDecision>;
}

export interface SubjectDecision {
  readonly subject: ConsentSubject;
  readonly decision: ConsentDecision;
}

/** Shows one question. Resolves to undefined if the user dismisses it. */
type ShowQuestion = (subject: ConsentSubject, hasChanged: boolean) => Promise<ConsentAnswer | undefined>;

/** Decides by stored answers, or else asks the user, one question at a time. The owner must dispose it. */
export class ConsentManager implements ConsentPort, Disposable {
  private readonly subjectsByKey = new Map<string, ConsentSubject>();
  private readonly dismissedHashes = new Set<string>();
  private readonly questionQueue = new KeyedQueue();
  private readonly subjectsEmitter = new Emitter<void>((error) => this.onListenerError(error));
  /** Fires when a subject was added or removed, or when its content has changed. */
  readonly onDidChangeSubjects = this.subjectsEmitter.event;

  constructor(
    private readonly store: ConsentStore,
    private readonly showQuestion: ShowQuestion,
    private readonly onListenerError: (error: unknown) => void,
  ) {}

  get onDidChange(): Event<void> {
    return this.store.onDidChange;
  }

  /** The subjects that this window has seen and that the workspace still defines, with their latest content. */
  get decisions(): readonly SubjectDecision[] {
    return [...this.subjectsByKey.values()].map((subject) => ({
      subject,
      decision: this.store.answerFor(subject) ?? 'ask',
    }));
  }

  registerAndDecide(subject: ConsentSubject): ConsentDecision {
    const key = keyOf(subject);
    const isNew = this.subjectsByKey.get(key)?.hash !== subject.hash;
    this.subjectsByKey.set(key, subject);
    if (isNew) this.subjectsEmitter.fire();
    return this.store.answerFor(subject) ?? 'ask';
  }

  forgetMissing(kinds: readonly ConsentSubjectKind[], isStillDefined: (subject: ConsentSubject) => boolean): void {
    const gone = [...this.subjectsByKey].filter(
      ([, subject]) => kinds.includes(subject.kind) && !isStillDefined(subject),
    );
    for (const [key] of gone) this.subjectsByKey.delete(key);
    if (gone.length > 0) this.subjectsEmitter.fire();
  }

  async askIfUndecided(subject: ConsentSubject, reason: ConsentReason): Promise<ConsentDecision> {
    const known = this.registerAndDecide(subject);
    if (known !== 'ask') return known;
    return await this.questionQueue.run('question', async () => {
      // The question before this one may have been about the same subject.
      const answered = this.store.answerFor(subject);
      if (answered) return answered;
      if (reason === 'background' && this.dismissedHashes.has(subject.hash)) return 'ask';
      return await this.askAndStoreAnswer(subject);
    });
  }

  async askAgain(subject: ConsentSubject): Promise<ConsentDecision> {
    return await this.questionQueue.run('question', () => this.askAndStoreAnswer(subject));
  }

  /**
   * Accepts an answer that the user has given while reading the file. If the content has changed, asks again. Rejects
   * if the content cannot be read.
   */
  async acceptLateAnswer(subject: ConsentSubject, answer: ConsentAnswer): Promise<void> {
    const latest = this.subjectsByKey.get(keyOf(subject)) ?? subject;
    const now = latest.reload ? await latest.reload() : latest;
    if (!now) return;
    if (now.hash === subject.hash) {
      await this.store.setAnswer(subject, answer);
      return;
    }
    this.registerAndDecide(now);
    await this.askAgain(now);
  }

  dispose(): void {
    this.subjectsEmitter.dispose();
    this.store.dispose();
  }

  private async askAndStoreAnswer(subject: ConsentSubject): Promise<ConsentDecision> {
    const answer = await this.showQuestion(subject, this.store.hasAnswerForEarlierContent(subject));
    if (answer) await this.store.setAnswer(subject, answer);
    else this.dismissedHashes.add(subject.hash);
    return this.store.answerFor(subject) ?? 'ask';
  }
}

/** Returns a key for a subject. It stays the same if a subject with an ID moves to another file. */
function keyOf(subject: ConsentSubject): string {
  return subject.id === undefined ? subjectIdentity(subject) : JSON.stringify([subject.kind, subject.id]);
}
