interface QuestionLimits {
  /** Maximum number of questions for one client, by the name that it reports. */
  readonly perClient: number;
  /** Maximum number of questions for all clients together, because one client can use many names. */
  readonly inAll: number;
  /**
   * Maximum number of questions that nobody waits for but that are still on the screen, because a client could fill it by asking
   * and cancelling.
   */
  readonly ended: number;
}

/** A question on the screen. */
interface OpenQuestion {
  /** The client no longer waits for the answer, so the question no longer counts as open. */
  end(): void;
  /** The question has left the screen. */
  close(): void;
}

/** Limits how many questions programs outside VS Code ask the user at the same time. */
export class OpenQuestionLimiter {
  /** The client of each question, and whether it still waits. */
  private readonly questions = new Set<{ readonly client: string; isWaiting: boolean }>();

  constructor(private readonly limits: QuestionLimits = { perClient: 3, inAll: 8, ended: 24 }) {}

  /** Counts a question until it has ended or closed. Returns undefined if too many are open. */
  tryOpen(client: string): OpenQuestion | undefined {
    const { ended, inAll, perClient } = this.limits;
    const waiting = [...this.questions].filter(({ isWaiting }) => isWaiting);
    const own = waiting.filter((each) => each.client === client);
    const stale = this.questions.size - waiting.length;
    if (own.length >= perClient || waiting.length >= inAll || stale >= ended) return undefined;
    const question = { client, isWaiting: true };
    this.questions.add(question);
    return {
      end: () => void (question.isWaiting = false),
      close: () => void this.questions.delete(question),
    };
  }
}
