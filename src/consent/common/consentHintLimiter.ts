import * as z from 'zod';
import type { Memento } from '../../base/common/memento';
import type { SubjectDecision } from './consentManager';

const mementoKey = 'backline.consent.hinted';
const maxHinted = 300;
const Hinted = z.array(z.string()).catch([]);

/** Limits hints: at most one per window, and none about content for which an earlier window has shown a hint. */
export class ConsentHintLimiter {
  private hasShownHint = false;

  constructor(private readonly memento: Memento) {}

  /** Returns whether to show a hint now. If so, stores that it was shown. */
  async claimHint(undecidedSubjects: readonly SubjectDecision[]): Promise<boolean> {
    const hinted = Hinted.parse(this.memento.get(mementoKey));
    const fresh = undecidedSubjects.map(({ subject }) => subject.hash).filter((hash) => !hinted.includes(hash));
    if (fresh.length === 0 || this.hasShownHint) return false;
    this.hasShownHint = true;
    await this.memento.update(mementoKey, [...hinted, ...fresh].slice(-maxHinted));
    return true;
  }
}
