import { KeyedQueue } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import { subjectIdentity, type ConsentSubjectKind, type ConsentSubject } from './consentSubject';
import type { ConsentAnswer, ConsentStore } from './consentStore';

export type ConsentDecision = ConsentAnswer | 'ask';

/** Who needs the answer. For `background`, a question that the user closed is not asked again in this window. */
type ConsentReason = 'user' | 'background';

/** Permission to run something that a workspace defines. The caller checks workspace trust first. */
export interface Consent {
  readonly onDidChange: Event<void>;
  /** Returns the stored decision without asking, and records that the subject exists. */
  decide(subject: ConsentSubject): ConsentDecision;
  /** Forgets the subjects of these kinds that the workspace no longer defines. Stored answers are kept. */
  forgetMissing(kinds: readonly ConsentSubjectKind[], isNamed: (subject: ConsentSubject) => boolean): void;
  /** Asks the user unless there is an answer. Returns `ask` if the question was closed. */
  ask(subject: ConsentSubject, reason: ConsentReason): Promise<ConsentDecision>;
  /** Asks the user even if there is an answer. Closing the question changes nothing. */
  askAgain(subject: ConsentSubject): Promise<ConsentDecision>;
}

export interface SubjectDecision {
  readonly subject: ConsentSubject;
  readonly decision: ConsentDecision;
}

/** Shows one question. Resolves with undefined if the user closes it. */
type ShowQuestion = (subject: ConsentSubject, hasChanged: boolean) => Promise<ConsentAnswer | undefined>;

/** Decides by stored answers and asks the user one question at a time. Dispose it. */
export class ConsentManager implements Consent, Disposable {
  private readonly subjectsByKey = new Map<string, ConsentSubject>();
  private readonly dismissedHashes = new Set<string>();
  private readonly questionQueue = new KeyedQueue();
  private readonly subjectsEmitter = new Emitter<void>((error) => this.onListenerError(error));
  /** Fires when a subject appeared, changed its content or disappeared. */
  readonly onDidChangeSubjects = this.subjectsEmitter.event;

  constructor(
    private readonly store: ConsentStore,
    private readonly showQuestion: ShowQuestion,
    private readonly onListenerError: (error: unknown) => void,
  ) {}

  get onDidChange(): Event<void> {
    return this.store.onDidChange;
  }

  /** The subjects that this window has seen and the workspace still defines, with their latest content. */
  get decisions(): readonly SubjectDecision[] {
    return [...this.subjectsByKey.values()].map((subject) => ({
      subject,
      decision: this.store.answerFor(subject) ?? 'ask',
    }));
  }

  decide(subject: ConsentSubject): ConsentDecision {
    const key = keyOf(subject);
    const isNew = this.subjectsByKey.get(key)?.hash !== subject.hash;
    this.subjectsByKey.set(key, subject);
    if (isNew) this.subjectsEmitter.fire();
    return this.store.answerFor(subject) ?? 'ask';
  }

  forgetMissing(kinds: readonly ConsentSubjectKind[], isNamed: (subject: ConsentSubject) => boolean): void {
    const gone = [...this.subjectsByKey].filter(([, subject]) => kinds.includes(subject.kind) && !isNamed(subject));
    for (const [key] of gone) this.subjectsByKey.delete(key);
    if (gone.length > 0) this.subjectsEmitter.fire();
  }

  async ask(subject: ConsentSubject, reason: ConsentReason): Promise<ConsentDecision> {
    const known = this.decide(subject);
    if (known !== 'ask') return known;
    return await this.questionQueue.run('question', async () => {
      // An earlier question in the queue may have been about the same subject.
      const answered = this.store.answerFor(subject);
      if (answered) return answered;
      if (reason === 'background' && this.dismissedHashes.has(subject.hash)) return 'ask';
      return await this.askUser(subject);
    });
  }

  async askAgain(subject: ConsentSubject): Promise<ConsentDecision> {
    return await this.questionQueue.run('question', () => this.askUser(subject));
  }

  /** Accepts an answer given next to the open file. Asks again if the content has changed. Rejects if unreadable. */
  async acceptLateAnswer(subject: ConsentSubject, answer: ConsentAnswer): Promise<void> {
    const latest = this.subjectsByKey.get(keyOf(subject)) ?? subject;
    const now = latest.reload ? await latest.reload() : latest;
    if (!now) return;
    if (now.hash === subject.hash) {
      await this.store.setAnswer(subject, answer);
      return;
    }
    this.decide(now);
    await this.askAgain(now);
  }

  dispose(): void {
    this.subjectsEmitter.dispose();
    this.store.dispose();
  }

  private async askUser(subject: ConsentSubject): Promise<ConsentDecision> {
    const answer = await this.showQuestion(subject, this.store.hasEarlierAnswer(subject));
    if (answer) await this.store.setAnswer(subject, answer);
    else this.dismissedHashes.add(subject.hash);
    return this.store.answerFor(subject) ?? 'ask';
  }
}

/** Identifies a subject. A subject with an ID may move to another file. */
function keyOf(subject: ConsentSubject): string {
  return subject.id === undefined ? subjectIdentity(subject) : JSON.stringify([subject.kind, subject.id]);
}
