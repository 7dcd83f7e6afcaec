import type { Event } from '../../../base/common/event';
import { claimOf, knownOrigin, type AgentOrigin, type OriginClaim, type OriginClaims } from './agentOrigins';
import { findKnownAgentByCommand, knownAgents, type KnownAgent } from './knownAgents';

/** What is known of the program of an installed agent, or of one that could be installed. */
interface ProgramTerms {
  readonly kind: 'npx' | 'uvx' | 'binary';
  /** The package without its version, or the place of the download. Not known for older installations. */
  readonly source?: string | undefined;
}

/** An agent that Backline has installed. */
export interface InstalledProgram {
  /** Id in the registry of agents. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly terms: ProgramTerms;
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

export type InstallableAgent = Pick<InstalledProgram, 'id' | 'terms' | 'account'> & {
  readonly command?: string | undefined;
};

/**
 * Finds the known agent whose program this is. Only the package or the place of the download counts: a registry is free
 * to list any program with any id, and an archive can contain a program with any name.
 */
export function findKnownAgentBySource({ kind, source }: ProgramTerms): KnownAgent | undefined {
  if (source === undefined) return undefined;
  return knownAgents.find(
    ({ downloads = [], npmPackage }) =>
      (kind === 'npx' && npmPackage === source) || (kind === 'binary' && downloads.includes(source)),
  );
}

interface IdentityOfProgram {
  /** The id of the agent as a backend. */
  readonly id: string;
  readonly origin: AgentOrigin;
  readonly claim: OriginClaim;
}

/**
 * The identity of an agent of the registry as a backend. A known agent has the same id as when it is found on PATH, so that
 * settings, rules and conversations stay valid. A further account has an id of its own, and so has a program whose id
 * belongs to another one.
 */
export function identityOfProgram(agent: InstallableAgent, claims: OriginClaims): IdentityOfProgram {
  const { account, id: registryId, terms } = agent;
  const known = findKnownAgentBySource(terms);
  const origin = originOf(agent, known);
  const base = known?.id ?? (terms.source === undefined ? earlierIdOf(agent) : registryId);
  const id = account === undefined ? base : `${base}~${account}`;
  const ofAgent = claimOf(base, origin, claims);
  const ofAccount = account === undefined ? ofAgent : claimOf(id, origin, claims);
  if (ofAgent !== 'foreign' && ofAccount !== 'foreign')
    return { id, origin, claim: ofAgent === 'uncertain' ? ofAgent : ofAccount };
  const own = `${base}@${origin}`;
  return { id: account === undefined ? own : `${own}~${account}`, origin, claim: 'foreign' };
}

/** The identity that earlier versions of Backline have used, which knew agents by their names only. */
export function earlierIdentityOf(agent: InstallableAgent): Pick<IdentityOfProgram, 'id' | 'origin'> {
  const { account } = agent;
  const known = findKnownAgentBySource(agent.terms);
  const base = known?.id ?? earlierIdOf(agent);
  return { id: account === undefined ? base : `${base}~${account}`, origin: originOf(agent, known) };
}

function originOf({ id, terms: { kind, source } }: InstallableAgent, known: KnownAgent | undefined): AgentOrigin {
  if (known) return knownOrigin(known.id);
  return source === undefined ? `installed:${id}` : `${kind}:${source}`;
}

function earlierIdOf({ command, id, terms: { kind } }: InstallableAgent): string {
  const known =
    knownAgents.find((one) => one.id === id || one.command === id) ??
    (kind === 'binary' && command !== undefined ? findKnownAgentByCommand(command, []) : undefined);
  return known?.id ?? id;
}
