/** A prompt that was added to a turn, and that the agent may report when it reads it. */
export interface ExpectedReport {
  /** Whether the agent reports it if it reads it, as far as is known now. */
  readonly isCertain: () => boolean;
  /** Call if the agent has not taken the prompt. */
  readonly forget: () => void;
}

/**
 * Whether an agent reports the prompts that are added to its turns. The protocol says so of all prompts, but an agent that reports those
 * that begin a turn may add others silently: it is not expected any more after it has not reported one in a turn that it has ended itself.
 */
export class PromptReports {
  private hasReportedAny = false;
  private hasMissed = false;
  /** The prompts that were added to the turn that runs. */
  private readonly open = new Set<object>();

  get areCertain(): boolean {
    return this.hasReportedAny && !this.hasMissed;
  }

  expect(prompt: object): void {
    this.open.add(prompt);
  }

  forget(prompt: object): void {
    this.open.delete(prompt);
  }

  /** It has reported any prompt of this window. */
  handlePrompt(): void {
    this.hasReportedAny = true;
  }

  /** It has reported a prompt that was added to a turn, perhaps one of an earlier turn. */
  handleAdded(prompt: object): void {
    this.open.delete(prompt);
    this.hasMissed = false;
  }

  /** The turn has ended. An agent that was stopped drops what it has not read. */
  handleEnd(isStopped: boolean): void {
    this.hasMissed ||= !isStopped && this.open.size > 0;
    this.open.clear();
  }

  /** Another program may answer from now on. */
  clear(): void {
    this.hasReportedAny = false;
    this.hasMissed = false;
  }
}
