import type { AgentRequestRunner } from '../connection/agentRequestRunner';
import type { ProcessUser } from '../connection/processUsers';

/** What to do with a turn that its agent does not end, although it was asked to. */
type StuckTurnMeasure =
  | 'endProcess'
  /** The process goes on for others, and ends when they no longer need it. */
  | 'leaveUntilUnused'
  /** The process goes on until other conversations are closed, because the agent would forget them. */
  | 'leaveUntilForgotten';

interface StuckAgent extends Pick<AgentRequestRunner, 'canRestore' | 'stop' | 'title' | 'users'> {
  /** `connectedAgent` is another object in each process. */
  readonly connection: { readonly connectedAgent: object | undefined };
}

/** Turns of one agent that do not end. */
export class StuckTurns {
  /** With the process of each turn. What happens to another process is not about the turn. */
  private readonly processByTurn = new Map<Promise<unknown>, object>();

  constructor(private readonly agent: StuckAgent) {
    // What has just ended may still be reported, so the process must not end in the middle of it.
    agent.users.onDidChange(() => this.scheduleCheck());
  }

  measureFor(user: ProcessUser): StuckTurnMeasure {
    const { canRestore, users } = this.agent;
    if (users.mayEndProcess(canRestore, user)) return 'endProcess';
    return canRestore ? 'leaveUntilUnused' : 'leaveUntilForgotten';
  }

  /** Ends the agent's process as soon as nobody needs it, unless the turn has `ended` before. */
  abandon(ended: Promise<unknown>): void {
    const { connectedAgent } = this.agent.connection;
    if (!connectedAgent) return;
    this.processByTurn.set(ended, connectedAgent);
    void ended.finally(() => this.processByTurn.delete(ended));
    // The others may have ended before.
    this.scheduleCheck();
  }

  private scheduleCheck(): void {
    void Promise.resolve().then(() => this.endProcessIfUnused());
  }

  private endProcessIfUnused(): void {
    const { canRestore, connection, title, users } = this.agent;
    // After a crash, the turn remains open until the exit is described, which must not be replaced by another reason.
    const isStuck = [...this.processByTurn.values()].some((process) => process === connection.connectedAgent);
    if (!isStuck || !users.mayEndProcess(canRestore)) return;
    this.processByTurn.clear();
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
      return `${failed}. It is still needed for other work, so it is ended when that is done. Until then, it may continue the stopped work.`;
    case 'leaveUntilForgotten':
      return `${failed}. It is ended when your other conversations with it are closed, and this one if you continue it, because it would forget them. To end it now, run “Backline: Restart Agent”.`;
  }
}
