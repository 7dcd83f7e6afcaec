import type { AgentRequestRunner } from '../connection/agentRequestRunner';
import type { ProcessUser } from '../connection/processUsers';

/** What to do with a turn that its agent does not end, although it was asked to. */
type StuckTurnMeasure =
  | 'endProcess'
  /** The process goes on for others, and ends when they no longer need it. */
  | 'leaveUntilUnused'
  /** The process goes on, because the agent would forget other conversations. */
  | 'leave';

/** Turns of one agent that do not end. */
export class StuckTurns {
  private readonly abandonedTurns = new Set<Promise<unknown>>();

  constructor(private readonly agent: AgentRequestRunner) {
    // What has just ended may still be reported, so the process must not end in the middle of it.
    agent.users.onDidChange(() => void Promise.resolve().then(() => this.endProcessIfUnused()));
  }

  measureFor(user: ProcessUser): StuckTurnMeasure {
    const { canRestore, users } = this.agent;
    if (users.mayEndProcessFor(user, canRestore)) return 'endProcess';
    return canRestore ? 'leaveUntilUnused' : 'leave';
  }

  /** Ends the agent's process as soon as nobody needs it, unless the turn `ended` before. */
  abandon(ended: Promise<unknown>): void {
    this.abandonedTurns.add(ended);
    void ended.finally(() => this.abandonedTurns.delete(ended));
  }

  private endProcessIfUnused(): void {
    const { canRestore, title, users } = this.agent;
    if (this.abandonedTurns.size === 0 || !canRestore || users.isInUse()) return;
    this.abandonedTurns.clear();
    void this.agent.stop(`${title} did not stop when asked and was ended.`);
  }
}

/** Returns what the user should know about the measure. */
export function stuckTurnNotice(measure: StuckTurnMeasure, title: string): string {
  const failed = `${title} did not stop when asked`;
  switch (measure) {
    case 'endProcess':
      return `${failed} and was ended. The next prompt restarts it.`;
    case 'leaveUntilUnused':
      return `${failed}. It is needed by another conversation, so it is ended when that is done. Until then, it may continue the stopped work.`;
    case 'leave':
      return `${failed}. It was not ended because it would forget your other conversations. To end it, run “Backline: Restart Agent”.`;
  }
}
