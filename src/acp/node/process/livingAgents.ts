/** What can be ended, gently or at once. */
interface Ending {
  /** Resolves when it is gone, or with `stillRunning`. Never rejects. */
  stop(): Promise<unknown>;
  killNow(): void;
}

/** Those that were started and are not known to be gone: none of them may be forgotten while it is still ending. */
export class LivingAgents<Agent extends Ending> {
  private readonly agents = new Set<Agent>();

  add(agent: Agent): void {
    this.agents.add(agent);
  }

  async stop(agent: Agent): Promise<void> {
    if ((await agent.stop()) !== 'stillRunning') this.agents.delete(agent);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.agents].map((agent) => this.stop(agent)));
  }

  /** For when nothing can be awaited any more. */
  killNow(): void {
    for (const agent of this.agents) agent.killNow();
    this.agents.clear();
  }
}
