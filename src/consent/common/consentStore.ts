import * as z from 'zod';
import { Emitter } from '../../base/common/event';
import type { Memento } from '../../base/common/memento';
import { subjectIdentity, type ConsentSubject } from './consentSubject';

export type ConsentAnswer = 'allowed' | 'denied';

const mementoKey = 'backline.consent.answers';
/** Maximum number of stored answers. The oldest are dropped, and the user is then asked again. */
const maxAnswers = 300;

const Answer = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  answer: z.enum(['allowed', 'denied']),
  entry: z.string(),
});
type Answer = z.infer<typeof Answer>;

/** The user's answers, by the hash of the content to which they apply. */
export class ConsentStore {
  private readonly changeEmitter = new Emitter<void>((error) => this.onListenerError(error));
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    /** The memento of the workspace, because an answer for one workspace must not apply to another. */
    private readonly memento: Memento,
    private readonly onListenerError: (error: unknown) => void,
  ) {}

  answerFor({ hash }: Pick<ConsentSubject, 'hash'>): ConsentAnswer | undefined {
    return this.storedAnswers.find((each) => each.hash === hash)?.answer;
  }

  /** Whether there is an answer for an earlier content of the same entry. */
  hasAnswerForEarlierContent(subject: ConsentSubject): boolean {
    const entry = subjectIdentity(subject);
    return this.storedAnswers.some((each) => each.entry === entry && each.hash !== subject.hash);
  }

  async setAnswer(subject: ConsentSubject, answer: ConsentAnswer): Promise<void> {
    const others = this.storedAnswers.filter(({ hash }) => hash !== subject.hash);
    const all = [...others, { hash: subject.hash, answer, entry: subjectIdentity(subject) }];
    await this.memento.update(mementoKey, all.slice(-maxAnswers));
    this.changeEmitter.fire();
  }

  dispose(): void {
    this.changeEmitter.dispose();
  }

  /** The stored answers. Invalid entries are ignored. */
  private get storedAnswers(): readonly Answer[] {
    const stored = z.array(z.unknown()).catch([]).parse(this.memento.get(mementoKey));
    return stored.flatMap((entry) => Answer.safeParse(entry).data ?? []);
  }
}
