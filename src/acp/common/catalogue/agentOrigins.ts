import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import { reservedPolicyIds } from '../../../permissions/common/policy/policyKinds';
import { demoAgentId, knownAgents } from './knownAgents';

/**
 * Where the program of an agent comes from. Keys, rules and permissions are stored by the id of an agent, and belong to
 * the origin that holds this id: a program from elsewhere never gets them by having the same id.
 *
 * - `demo`: the demo agent
 * - `known:<id>`: a known agent, by its package, its download or the program on PATH
 * - `settings`: an entry of the user's settings with another program
 * - `<kind>:<source>`: any other program that Backline has installed
 * - `installed:<registry id>`: one that was installed before its source was recorded
 */
export type AgentOrigin = string;

export const settingsOrigin: AgentOrigin = 'settings';
export const demoOrigin: AgentOrigin = 'demo';
/** Something is stored for an id, and nobody knows any more for which program. */
const unknownOrigin: AgentOrigin = 'unknown';

export function knownOrigin(knownId: string): AgentOrigin {
  return `known:${knownId}`;
}

/** The stored holders of ids. */
export interface OriginClaims {
  holderOf(id: string): AgentOrigin | undefined;
}

/**
 * Whether an origin holds an id: it does, or nobody else does (`own`), nobody knows (`uncertain`), or another one does
 * (`foreign`). An uncertain claim needs the user's answer before anything stored is used.
 */
export type OriginClaim = 'own' | 'uncertain' | 'foreign';

export function claimOf(id: string, origin: AgentOrigin, claims: OriginClaims): OriginClaim {
  const isOfUser = origin === settingsOrigin || origin === demoOrigin || isKnownOrigin(origin);
  if (!isOfUser && (reservedPolicyIds.has(id) || otherBackendIds.has(id))) return 'foreign';
  const holder = claims.holderOf(id) ?? naturalHolderOf(id);
  if (holder === undefined || holder === origin) return 'own';
  return isOfUser || holder === unknownOrigin || holder.startsWith('installed:') ? 'uncertain' : 'foreign';
}

/** Ids of backends that no registry may list. */
const otherBackendIds: ReadonlySet<string> = new Set([demoAgentId, 'amplifier']);

export function isKnownOrigin(origin: AgentOrigin): boolean {
  return origin.startsWith('known:');
}

function naturalHolderOf(id: string): AgentOrigin | undefined {
  if (id === demoAgentId) return demoOrigin;
  return knownAgents.some((known) => known.id === id) ? knownOrigin(id) : undefined;
}

interface IdAndOrigin {
  readonly id: string;
  readonly origin: AgentOrigin;
}

const mementoName = 'backline.agentOrigins';
const Holders = z.record(z.string(), z.string()).catch({});

/** Remembers which origin holds the id of an agent, also after the agent was removed. */
export class OriginStore implements OriginClaims {
  constructor(private readonly memento: Memento) {}

  /** Whether `takeOver` was not called yet. */
  get isNew(): boolean {
    return this.memento.get(mementoName) === undefined;
  }

  holderOf(id: string): AgentOrigin | undefined {
    const { holders } = this;
    return Object.hasOwn(holders, id) ? holders[id] : undefined;
  }

  /**
   * Takes over what earlier versions have stored by id alone. An agent keeps what it uses today, unless its id is that
   * of another agent. `storedIds` are the ids that something is stored for.
   */
  async takeOver(agents: readonly IdAndOrigin[], storedIds: readonly string[]): Promise<void> {
    const holders: Record<string, AgentOrigin> = {};
    for (const { id, origin } of agents) {
      const isNatural = origin === settingsOrigin || origin.startsWith('installed:');
      const claim = claimOf(id, origin, { holderOf: () => undefined });
      if (Object.hasOwn(holders, id)) holders[id] = holders[id] === origin ? origin : unknownOrigin;
      else if (claim === 'own' || isNatural) holders[id] = origin;
      else if (!reservedPolicyIds.has(id)) holders[id] = unknownOrigin;
    }
    for (const id of storedIds) {
      if (!Object.hasOwn(holders, id) && naturalHolderOf(id) === undefined && !isOtherId(id))
        holders[id] = unknownOrigin;
    }
    await this.memento.update(mementoName, holders);
  }

  /** These ids belong to these origins from now on. */
  async claim(agents: readonly IdAndOrigin[]): Promise<void> {
    const changed = agents.filter(({ id, origin }) => this.holderOf(id) !== origin);
    if (changed.length === 0) return;
    const added = changed.map(({ id, origin }) => [id, origin] as const);
    await this.memento.update(mementoName, { ...this.holders, ...Object.fromEntries(added) });
  }

  private get holders(): Readonly<Record<string, AgentOrigin>> {
    return Holders.parse(this.memento.get(mementoName) ?? {});
  }
}

/** Ids of what is no agent in the settings or of the registry. */
function isOtherId(id: string): boolean {
  return reservedPolicyIds.has(id) || otherBackendIds.has(id) || id.includes('@');
}
