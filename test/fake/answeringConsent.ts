import type { ConsentSubject } from '../../src/consent/common/consentSubject';
import type { ConsentPort, ConsentDecision } from '../../src/consent/common/consentManager';

export interface AnsweringConsent extends ConsentPort {
  /** What the user was asked, in its order. */
  readonly asked: ConsentSubject[];
  /** What was decided about and is still named. */
  readonly seen: ConsentSubject[];
  /** What they answer from now on. */
  answer: ConsentDecision;
}

/** A user who always answers the same; `ask` stands for one who closes the question. */
export function answeringConsent(answer: ConsentDecision): AnsweringConsent {
  const answers = new Map<string, ConsentDecision>();
  const asked: ConsentSubject[] = [];
  const seen: ConsentSubject[] = [];
  const decide = (thing: ConsentSubject): ConsentDecision => {
    if (!seen.some(({ hash }) => hash === thing.hash)) seen.push(thing);
    return answers.get(thing.hash) ?? 'ask';
  };
  const consent: AnsweringConsent = {
    asked,
    seen,
    answer,
    onDidChange: () => ({ dispose: () => undefined }),
    registerAndDecide: decide,
    decisionOn: ({ hash }) => answers.get(hash) ?? 'ask',
    forgetMissing: (kinds, isNamed) => {
      const kept = seen.filter((thing) => !kinds.includes(thing.kind) || isNamed(thing));
      seen.splice(0, seen.length, ...kept);
    },
    askIfUndecided: (thing) => {
      if (decide(thing) === 'ask') {
        asked.push(thing);
        if (consent.answer !== 'ask') answers.set(thing.hash, consent.answer);
      }
      return Promise.resolve(decide(thing));
    },
    askAllIfUndecided: (things, reason) => Promise.all(things.map((thing) => consent.askIfUndecided(thing, reason))),
    askAgain: (thing) => {
      answers.delete(thing.hash);
      return consent.askIfUndecided(thing, 'user');
    },
  };
  return consent;
}
