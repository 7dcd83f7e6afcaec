import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { BackendEntry } from '../../session/common/backendRegistry';
import type { BackendState } from '../../session/common/sessionBackend';
import type { OriginClaims } from '../common/catalogue/agentOrigins';
import { identityOfProgram, type InstallableAgent } from '../common/catalogue/installedAgents';
import { llmProviderObstacle } from '../node/catalogue/agentCatalogue';
import type { AgentLauncher } from '../node/catalogue/agentLauncher';
import type { AgentBackendRegistry } from '../node/catalogue/agentBackendRegistry';
import type { AgentProgram, TriedAgent } from '../node/catalogue/tryAgent';
import type { FoundCommand } from '../node/process/commandLookup';

type Variables = Readonly<Record<string, string>>;

interface AgentsPortDeps {
  readonly registry: AgentBackendRegistry;
  /** The holders of the ids of agents. */
  readonly origins: OriginClaims;
  /** Loads the code that starts agents. */
  readonly getLauncher: () => Promise<AgentLauncher>;
  /** The code that starts agents, if it was loaded. */
  readonly loadedLauncher: () => AgentLauncher | undefined;
  /** Whether the user has changed an LLM provider of the agent. */
  readonly hasChangedProviders: (agentId: string) => boolean;
  readonly environment: () => Variables;
  readonly guardProcess: (leaderPid: number) => Disposable;
}

interface ListedAgent extends BackendEntry {
  readonly state: BackendState | undefined;
  /** Whether it is known that the user can choose where the agent sends its requests. */
  readonly hasLlmProviders: boolean;
}

/** What the page of agents and the installer need from the room that runs agents. */
export class AgentsPort {
  constructor(private readonly deps: AgentsPortDeps) {}

  readonly install = {
    /** The environment of VS Code, with its settings for the network. */
    environment: (): Variables => this.deps.environment(),
    /** Resolves to undefined if the PATH of `env` has no executable program of that name. Never rejects. */
    findProgram: async (name: string, env: Variables): Promise<FoundCommand | undefined> =>
      await (await this.deps.getLauncher()).findProgram(name, env),
    /** Ends a process that is the leader of its group, and its descendants. Never rejects. */
    endProcessTree: async (leaderPid: number): Promise<void> =>
      await (await this.deps.getLauncher()).endProcessTree(leaderPid),
    guardProcess: (leaderPid: number): Disposable => this.deps.guardProcess(leaderPid),
    /** @throws TryAgentError */
    tryAgent: async (program: AgentProgram, signal: AbortSignal): Promise<TriedAgent> =>
      await (await this.deps.getLauncher()).tryAgent(program, signal),
    /** Whether the program of an agent that runs in this window is in this folder. */
    isInUse: (folder: string): boolean => this.deps.loadedLauncher()?.isInUse(folder) ?? false,
  };

  get onDidChange(): Event<void> {
    return this.deps.registry.onDidChange;
  }

  /** The agents, each with what is known of its backend if it was opened. Starts none. */
  async list(): Promise<readonly ListedAgent[]> {
    const { hasChangedProviders, registry } = this.deps;
    const entries = await registry.list();
    return entries.map((entry) => {
      const backend = registry.backendOf(entry.id);
      const known = registry.entryOf(entry.id);
      const mayChoose = known !== undefined && llmProviderObstacle(known) === undefined;
      // The command can also remove choices that the agent can no longer take.
      const hasLlmProviders = (mayChoose && backend?.hasLlmProviders === true) || hasChangedProviders(entry.id);
      return { ...entry, state: backend?.state, hasLlmProviders };
    });
  }

  /** The state of a backend now; undefined if it was not opened. */
  stateOf(backendId: string): BackendState | undefined {
    return this.deps.registry.backendOf(backendId)?.state;
  }

  backendIdOf(agent: InstallableAgent): string {
    return identityOfProgram(agent, this.deps.origins).id;
  }

  /** Resolves when the processes of the agent have ended. Never rejects. */
  async stop(backendId: string): Promise<void> {
    await this.deps.registry.stop(backendId);
  }
}
