import type { Event } from '../../../base/common/event';
import { findKnownAgentByCommand, knownAgents, type KnownAgent } from './knownAgents';

/** An agent that Backline has installed. */
export interface InstalledProgram {
  /** Id in the registry of agents. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** The npm or Python package, without its version. */
  readonly package?: string | undefined;
  /** The name of a further account of the same agent, whose keys are its own. */
  readonly account?: string | undefined;
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The agents that Backline has installed, for all windows. */
export interface InstalledPrograms {
  readonly onDidChange: Event<void>;
  /** Never rejects. */
  installedAgents(): Promise<readonly InstalledProgram[]>;
}

export type InstallableAgent = Pick<InstalledProgram, 'id' | 'package' | 'account'> & {
  readonly command?: string | undefined;
};

/** Finds the known agent that the registry lists, by its package, its id or its program. */
export function findKnownAgentByRegistryAgent({
  command,
  id,
  package: packageName,
}: InstallableAgent): KnownAgent | undefined {
  return (
    knownAgents.find(({ npmPackage }) => npmPackage !== undefined && npmPackage === packageName) ??
    knownAgents.find((known) => known.id === id || known.command === id) ??
    (packageName === undefined && command !== undefined ? findKnownAgentByCommand(command, []) : undefined)
  );
}

/**
 * The id of an agent of the registry as a backend. A known agent has the same id as when it is found on PATH, so that settings,
 * rules and conversations stay valid. A further account has an id of its own.
 */
export function backendIdOfRegistryAgent(agent: InstallableAgent): string {
  const id = findKnownAgentByRegistryAgent(agent)?.id ?? agent.id;
  return agent.account === undefined ? id : `${id}~${agent.account}`;
}
