import type { Logger } from '../../../base/common/log';
import { messageOf } from '../../../base/common/errors';
import type { BackendState } from '../../../session/common/sessionBackend';
import { serializeChoices, type ProviderChoices } from './providerChoice';
import type { ProviderStore } from './providerStore';

interface ProviderUseDeps {
  readonly store: Pick<ProviderStore, 'choicesOf'>;
  readonly agents: {
    /** The states of the agent's backends in this window. After a change of settings there may be several. */
    statesOf(agentId: string): readonly BackendState[];
    /** Stops all processes of the agent. Never rejects. */
    stop(agentId: string): Promise<void>;
  };
  /** Whether a turn of the agent runs in this window. */
  readonly isWorking: (agentId: string) => boolean;
  /** Called once if an agent keeps its old choices until its turn has ended. */
  readonly onDidPostpone: (agentId: string) => void;
  readonly log: Logger;
}

/**
 * Tracks which choices each agent of this window received when it started, and stops an agent if the stored choices have
 * changed since. The next prompt starts it with the new ones.
 */
export class OutdatedProviderAgentStopper {
  /** The choices by agent. While several processes of an agent run, may contain those of one that has ended. */
  private readonly given = new Map<string, Set<string | undefined>>();
  private readonly changeCounts = new Map<string, number>();
  private readonly postponedIds = new Set<string>();
  private readonly restartingIds = new Set<string>();

  constructor(private readonly deps: ProviderUseDeps) {}

  /** For an agent that starts. @throws Error if choices are stored that cannot be read */
  async choicesForStart(agentId: string): Promise<ProviderChoices> {
    // The process that starts counts too.
    if (this.running(agentId) < 2) this.forget(agentId);
    for (;;) {
      const count = this.changeCounts.get(agentId);
      const choices = await this.deps.store.choicesOf(agentId);
      // A change that was stored meanwhile may not have been read.
      if (this.changeCounts.get(agentId) !== count) continue;
      const given = this.given.get(agentId) ?? new Set();
      this.given.set(agentId, given.add(serializeChoices(choices)));
      return choices;
    }
  }

  /** Call when stored choices have changed, also in another window. Never rejects. */
  async handleChange(agentId: string): Promise<void> {
    this.changeCounts.set(agentId, (this.changeCounts.get(agentId) ?? 0) + 1);
    await this.stopIfChanged(agentId);
  }

  /** Call when a turn of any agent has ended. Never rejects. */
  async handleEndOfTurn(): Promise<void> {
    await Promise.all([...this.postponedIds].map((agentId) => this.stopIfChanged(agentId)));
  }

  /** Call when the state of a backend may have changed. */
  forgetStoppedAgents(): void {
    for (const agentId of this.given.keys()) if (this.running(agentId) === 0) this.forget(agentId);
  }

  /** Runs `work`, which restarts the agent with a change from this window. Until it ends, the agent is not stopped here. */
  async whileRestarting(agentId: string, work: () => Promise<void>): Promise<void> {
    this.restartingIds.add(agentId);
    try {
      await work();
    } finally {
      this.restartingIds.delete(agentId);
      // Another window may have stored something else meanwhile.
      await this.stopIfChanged(agentId);
    }
  }

  private async stopIfChanged(agentId: string): Promise<void> {
    const { deps, given, postponedIds, restartingIds } = this;
    const mustStop = (): boolean => given.has(agentId) && this.running(agentId) > 0 && !restartingIds.has(agentId);
    if (!mustStop()) return;
    // Without waiting, so that no queued prompt is sent first.
    if (postponedIds.has(agentId) && !deps.isWorking(agentId)) {
      await this.stop(agentId);
      return;
    }
    const hasChanged = await this.hasChanged(agentId);
    if (!mustStop()) return;
    if (!hasChanged()) postponedIds.delete(agentId);
    else if (!deps.isWorking(agentId)) await this.stop(agentId);
    else if (!postponedIds.has(agentId)) {
      postponedIds.add(agentId);
      deps.onDidPostpone(agentId);
    }
  }

  /** Choices that cannot be read count as changed, because the agent might send prompts to an address that was removed. */
  private async hasChanged(agentId: string): Promise<() => boolean> {
    try {
      const stored = serializeChoices(await this.deps.store.choicesOf(agentId));
      return () => [...(this.given.get(agentId) ?? [])].some((given) => given !== stored);
    } catch (error) {
      this.deps.log.warn(`An agent is stopped: ${messageOf(error)}`);
      return () => true;
    }
  }

  private async stop(agentId: string): Promise<void> {
    this.forget(agentId);
    await this.deps.agents.stop(agentId);
  }

  private forget(agentId: string): void {
    this.given.delete(agentId);
    this.postponedIds.delete(agentId);
  }

  private running(agentId: string): number {
    return this.deps.agents.statesOf(agentId).filter(({ kind }) => runningStates.has(kind)).length;
  }
}

/** An agent that needs a sign-in has been started, and the next prompt goes to it. */
const runningStates: ReadonlySet<BackendState['kind']> = new Set(['starting', 'ready', 'authRequired']);
