import * as z from 'zod';
import type { Memento } from '../../base/common/memento';
import type { SeenThing } from './consentDesk';

const memoryName = 'backline.consent.hinted';
const mostHinted = 300;
const Hinted = z.array(z.string()).catch([]);

/** At most one hint a window, and none for what an earlier window has hinted at. */
export class ConsentHints {
  private isTaken = false;

  constructor(private readonly memento: Memento) {}

  /** Whether the user is to be told of these now. */
  async take(waiting: readonly SeenThing[]): Promise<boolean> {
    const hinted = Hinted.parse(this.memento.get(memoryName));
    const fresh = waiting.map(({ thing }) => thing.hash).filter((hash) => !hinted.includes(hash));
    if (fresh.length === 0 || this.isTaken) return false;
    this.isTaken = true;
    await this.memento.update(memoryName, [...hinted, ...fresh].slice(-mostHinted));
    return true;
  }
}
