import { KeyedQueue } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import {
  fitsOneDialog,
  subjectIdentity,
  type AskedSubject,
  type ConsentSubjectKind,
  type ConsentSubject,
} from './consentSubject';
import type { ConsentAnswer, ConsentStore } from './consentStore';

export type ConsentDecision = ConsentAnswer | 'ask';

/** Why the answer is needed. `background`: not asked again in this window after the user dismissed it. */
type ConsentReason = 'user' | 'background';

/** Permission to run content that a workspace defines. The caller checks workspace trust first. */
export interface ConsentPort {
  readonly onDidChange: Event<void>;
  /** Returns the stored decision without asking the user. Also records that the subject exists. */
  registerAndDecide(subject: ConsentSubject): ConsentDecision;
  /** Returns the stored decision on this content, and records nothing. */
  decisionOn(subject: Pick<ConsentSubject, 'hash'>): ConsentDecision;
  /** Removes the subjects of these kinds that the workspace no longer defines. Stored answers are kept. */
  forgetMissing(kinds: readonly ConsentSubjectKind[], isNamed: (subject: ConsentSubject) => boolean): void;
  /** Asks the user if there is no answer yet. Returns `ask` if the user dismisses the question. */
  askIfUndecided(subject: ConsentSubject, reason: ConsentReason): Promise<ConsentDecision>;
  /**
   * As `askIfUndecided`, for subjects of one kind that are needed together: asks one question about all of them if it can show
   * them completely. Resolves to their decisions in the same order.
   */
  askAllIfUndecided(subjects: readonly ConsentSubject[], reason: ConsentReason): Promise<readonly ConsentDecision[]>;
  /** Asks the user even if there is an answer. If the user dismisses the question, nothing changes. */
  askAgain(subject: ConsentSubject): Promise<ConsentDecision>;
}

export interface SubjectDecision {
  readonly subject: ConsentSubject;
  readonly decision: ConsentDecision;
}

/** Show a question. Resolve to undefined if the user dismisses it. */
interface ConsentQuestions {
  ask(asked: AskedSubject): Promise<ConsentAnswer | undefined>;
  /** Asks about several subjects of one kind. `each`: the user wants to answer for each of them. */
  askAboutAll(asked: readonly AskedSubject[]): Promise<ConsentAnswer | 'each' | undefined>;
}

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
    private readonly questions: ConsentQuestions,
    private readonly onListenerError: (error: unknown) => void,
  ) {}

  get onDidChange(): Event<void> {
    return this.store.onDidChange;
  }

  /** The subjects that this window has seen and that the workspace still defines, with their latest content. */
  get decisions(): readonly SubjectDecision[] {
    return [...this.subjectsByKey.values()].map((subject) => ({
      subject,
      decision: this.decisionOn(subject),
    }));
  }

  registerAndDecide(subject: ConsentSubject): ConsentDecision {
    const key = keyOf(subject);
    const isNew = this.subjectsByKey.get(key)?.hash !== subject.hash;
    this.subjectsByKey.set(key, subject);
    if (isNew) this.subjectsEmitter.fire();
    return this.decisionOn(subject);
  }

  decisionOn(subject: Pick<ConsentSubject, 'hash'>): ConsentDecision {
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
      if (this.mustAsk(subject, reason)) await this.askAndStoreAnswer(subject);
      return this.decisionOn(subject);
    });
  }

  async askAllIfUndecided(
    subjects: readonly ConsentSubject[],
    reason: ConsentReason,
  ): Promise<readonly ConsentDecision[]> {
    const known = subjects.map((subject) => this.registerAndDecide(subject));
    if (!known.includes('ask')) return known;
    return await this.questionQueue.run('question', async () => {
      const open = subjects.filter((subject) => this.mustAsk(subject, reason));
      const answer = open.length > 1 && fitsOneDialog(open) ? await this.askAboutAll(open) : 'each';
      for (const subject of open) {
        if (answer === 'each') await this.askAndStoreAnswer(subject);
        else await this.storeAnswer(subject, answer);
      }
      return subjects.map((subject) => this.decisionOn(subject));
    });
  }

  async askAgain(subject: ConsentSubject): Promise<ConsentDecision> {
    return await this.questionQueue.run('question', async () => {
      await this.askAndStoreAnswer(subject);
      return this.decisionOn(subject);
    });
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

  /** The question before this one may have been about the same subject. */
  private mustAsk(subject: ConsentSubject, reason: ConsentReason): boolean {
    if (this.decisionOn(subject) !== 'ask') return false;
    return reason === 'user' || !this.dismissedHashes.has(subject.hash);
  }

  private async askAndStoreAnswer(subject: ConsentSubject): Promise<void> {
    await this.storeAnswer(subject, await this.questions.ask(this.askedOf(subject)));
  }

  private async askAboutAll(subjects: readonly ConsentSubject[]): Promise<ConsentAnswer | 'each' | undefined> {
    return await this.questions.askAboutAll(subjects.map((subject) => this.askedOf(subject)));
  }

  private askedOf(subject: ConsentSubject): AskedSubject {
    return { subject, hasChanged: this.store.hasAnswerForEarlierContent(subject) };
  }

  private async storeAnswer(subject: ConsentSubject, answer: ConsentAnswer | undefined): Promise<void> {
    if (answer) await this.store.setAnswer(subject, answer);
    else this.dismissedHashes.add(subject.hash);
  }
}

/** Returns a key for a subject. It stays the same if a subject with an ID moves to another file. */
function keyOf(subject: ConsentSubject): string {
  return subject.id === undefined ? subjectIdentity(subject) : JSON.stringify([subject.kind, subject.id]);
}
