import * as z from 'zod';
import type { Memento } from '../../base/common/memento';
import type { SeenThing } from './consentDesk';

const memoryName = 'backline.consent.hinted';
const mostHinted = 300;
const Hinted = z.array(z.string()).catch([]);

/** Allows at most one hint per window, and none about content that an earlier window already hinted at. */
export class ConsentHints {
  private isTaken = false;

  constructor(private readonly memento: Memento) {}

  /** Returns whether to show a hint now, and remembers it. */
  async take(waiting: readonly SeenThing[]): Promise<boolean> {
    const hinted = Hinted.parse(this.memento.get(memoryName));
    const fresh = waiting.map(({ thing }) => thing.hash).filter((hash) => !hinted.includes(hash));
    if (fresh.length === 0 || this.isTaken) return false;
    this.isTaken = true;
    await this.memento.update(memoryName, [...hinted, ...fresh].slice(-mostHinted));
    return true;
  }
}
