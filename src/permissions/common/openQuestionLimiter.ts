import { toDisposable, type Disposable } from '../../base/common/disposable';

interface QuestionLimits {
  /** Maximum number of questions for one client, by the name that it reports. */
  readonly perClient: number;
  /** Maximum number of questions for all clients together, because one client can use many names. */
  readonly inAll: number;
}

/** Limits how many questions programs outside VS Code ask the user at the same time. */
export class OpenQuestionLimiter {
  private readonly countByClient = new Map<string, number>();

  constructor(private readonly limits: QuestionLimits = { perClient: 3, inAll: 8 }) {}

  /** Counts a question until the result is disposed. Returns undefined if too many are open. */
  tryOpen(client: string): Disposable | undefined {
    const { inAll, perClient } = this.limits;
    const count = this.countByClient.get(client) ?? 0;
    const sum = [...this.countByClient.values()].reduce((total, each) => total + each, 0);
    if (count >= perClient || sum >= inAll) return undefined;
    this.countByClient.set(client, count + 1);
    return toDisposable(() => this.decrementCount(client));
  }

  private decrementCount(client: string): void {
    const rest = (this.countByClient.get(client) ?? 0) - 1;
    if (rest > 0) this.countByClient.set(client, rest);
    else this.countByClient.delete(client);
  }
}
