import type { Event } from '../../base/common/event';
import type { BackendState } from '../../session/common/sessionBackend';
import type { ImpossiblePlan, InstalledAgent, InstallPlan, InstallProgress } from './install/agentInstall';
import type { InstallTerms, TermChange } from './terms/installTerms';
import type { BackendIdentity, ListedBackend, RegistryState } from './page/agentsSituation';
import type { RegistryAgent } from './registry/registryAgent';

/** The list of agents that can be installed. */
export interface RegistrySource {
  readonly onDidChange: Event<void>;
  registryState(): RegistryState;
  /** Reads the stored list. Never rejects. */
  loadCached(): Promise<void>;
  /** Loads the list again. A failure becomes its `problem`. Never rejects. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Loads the list again if that is due: daily. Never rejects. */
  refreshIfDue(signal: AbortSignal): Promise<void>;
  /**
   * Returns the agent's icon, as the text of an SVG image that was checked. Undefined if it has none. Never rejects.
   */
  icon(agent: RegistryAgent): Promise<string | undefined>;
}

export interface Installer {
  readonly onDidChange: Event<void>;
  installed(): readonly InstalledAgent[];
  /** @throws InstallError */
  plan(agent: RegistryAgent, signal: AbortSignal): Promise<InstallPlan | ImpossiblePlan>;
  /** Installs nothing but what the user has agreed to. @throws InstallError */
  install(agent: RegistryAgent, options: InstallOptions & { readonly agreed: InstallTerms }): Promise<InstalledAgent>;
  /** Resolves to the size of the deleted files. @throws InstallError */
  remove(id: string, options: InstallOptions): Promise<{ readonly bytes: number }>;
  /** Changes the names of the further accounts of an installed agent. @throws InstallError */
  changeAccounts(
    id: string,
    change: (names: readonly string[]) => readonly string[],
    options: InstallOptions,
  ): Promise<void>;
  /** Deletes older versions that no window uses any more. Never rejects. */
  removeUnusedVersions(): Promise<void>;
}

export interface InstallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: InstallProgress) => void;
}

/** What the page needs to know about the backends of agents. */
export interface AgentBackends {
  readonly onDidChange: Event<void>;
  list(): Promise<readonly ListedBackend[]>;
  /** The state of a backend now; undefined if it was never used in this window. */
  stateOf(backendId: string): BackendState | undefined;
  backendIdOf(agent: BackendIdentity): string;
  /** Whether a turn of this backend runs in this window. */
  isWorking(backendId: string): boolean;
  /** Fires when a turn has ended. */
  readonly onDidEndTurn: Event<void>;
  /** Resolves when the agent's processes have ended. */
  stop(backendId: string): Promise<void>;
}

/** The questions to the user before agents are installed or removed. */
export interface AgentQuestions {
  /** `changes` is what differs from what the user has allowed for this agent before; absent at its first installation. */
  confirmInstall(plan: InstallPlan, agent: RegistryAgent, changes: readonly TermChange[] | undefined): Promise<boolean>;
  confirmRemove(agent: InstalledAgent, isWorking: boolean): Promise<boolean>;
  /** Resolves to the name of a new account; undefined if the user cancels. */
  askAccount(agent: InstalledAgent): Promise<string | undefined>;
  confirmRemoveAccount(agent: InstalledAgent, account: string, isWorking: boolean): Promise<boolean>;
}

/** Keys and other secrets of agents, by backend id and environment variable. */
export interface AgentSecrets {
  /** Variables that have a stored value. */
  variablesOf(backendId: string): Promise<readonly string[]>;
  /** Returns the stored values by variable, for testing a command. */
  keysOf(backendId: string): Promise<Readonly<Record<string, string>>>;
  setSecret(backendId: string, variable: string, value: string): Promise<void>;
  deleteSecret(backendId: string, variable: string): Promise<void>;
  /** Deletes all secrets of an agent, and the LLM providers that the user has set for it. */
  deleteAll(backendId: string): Promise<void>;
  /** Copies the LLM providers that the user has set, for an agent that gets another id. */
  copyProviders(fromId: string, toId: string): Promise<void>;
}

/** What an agent reports about itself when it starts. */
interface TriedAgent {
  readonly name?: string;
  readonly title?: string;
  readonly version?: string;
}

interface TriedProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Also added to the environment. Never shown. */
  readonly secretEnv?: Readonly<Record<string, string>>;
  /** Absolute path. */
  readonly cwd?: string;
}

/** Starts a command, requests its name over ACP, and ends it. @throws Error with a sentence for the user */
export type TryAgent = (program: TriedProgram, signal: AbortSignal) => Promise<TriedAgent>;
