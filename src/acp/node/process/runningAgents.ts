interface Stoppable {
  /** Resolves when the process has exited, or to `stillRunning`. Never rejects. */
  stop(): Promise<unknown>;
  killNow(): void;
}

/** Agents that were started and have not been stopped. */
export class RunningAgents<Agent extends Stoppable> {
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

  killAll(): void {
    for (const agent of this.agents) agent.killNow();
    this.agents.clear();
  }
}
