import type { BackendEntry } from '../../../session/common/backendRegistry';
import type { BackendState } from '../../../session/common/sessionBackend';
import type { InstalledAgent } from '../install/agentInstall';
import type { RecordedTerms } from '../terms/installTerms';
import type { InstallJobs } from '../install/installJobs';
import type { PlatformKey, RegistryAgent } from '../registry/registryAgent';

/** An agent that conversations can use. */
export interface ListedBackend extends BackendEntry {
  /** Undefined if the agent was never used in this window. */
  readonly state: BackendState | undefined;
  /** Whether it is known that the user can choose where the agent sends its requests. */
  readonly hasLlmProviders?: boolean;
}

export interface RegistryState {
  readonly agents: readonly RegistryAgent[];
  readonly origin: 'snapshot' | 'cache' | 'registry';
  /** Milliseconds since the epoch. */
  readonly checkedAt?: number;
  readonly problem?: string;
  /** Set if the `problem` is that there is no connection. */
  readonly isOffline?: true;
}

/** The properties by which a backend is recognized as an agent of the registry. */
export interface BackendIdentity {
  readonly id: string;
  readonly terms: Pick<RecordedTerms, 'kind' | 'source'>;
  /** The program of a binary whose source is not known. */
  readonly command?: string | undefined;
  /** The name of a further account. */
  readonly account?: string | undefined;
}

/** All data that the page of agents is built from. */
export interface AgentsSituation {
  readonly registry: RegistryState;
  readonly isChecking: boolean;
  readonly installed: readonly InstalledAgent[];
  readonly jobs: InstallJobs;
  readonly backends: readonly ListedBackend[];
  /** Ids of agents in the user settings, which can be edited here. */
  readonly ownIds: ReadonlySet<string>;
  /** Ids of backends that are running an older version than the installed one. */
  readonly outdated: ReadonlySet<string>;
  readonly isTrusted: boolean;
  /** Undefined on a system that the registry does not support. */
  readonly platform: PlatformKey | undefined;
  readonly backendIdOf: (agent: BackendIdentity) => string;
}
