import * as z from 'zod';
import { allAgentsKey, policyKinds, type PolicyKind } from './policyKinds';
import type { ToolRequest } from '../requests/toolRequest';

export const PolicyAnswer = z.enum(['ask', 'allow', 'deny']);
export type PolicyAnswer = z.infer<typeof PolicyAnswer>;

/** Policy for one agent. If it has no answer for a kind, the default of the requesting feature applies. */
export type AgentPolicy = Readonly<Partial<Record<PolicyKind, PolicyAnswer>>>;

/** The checked value of `backline.permissions` in the user or workspace settings, by agent id or `*`. */
type PolicyByAgent = ReadonlyMap<string, AgentPolicy>;

export interface PermissionPolicy {
  forAgent(agent: string): AgentPolicy;
  /** The user settings without the workspace settings. */
  readonly userPolicies: PolicyByAgent;
  /** Invalid or ignored values, for the log. */
  readonly problems: readonly string[];
}

const Table = z.record(z.string(), z.unknown());
const strictness: Readonly<Record<PolicyAnswer, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * Combines the user settings with the workspace settings. These can only be stricter, even in a trusted workspace,
 * because agents can write them. At each level, the entry of an agent overrides `*`. An invalid value counts as `ask`.
 */
export function combineUserAndWorkspacePolicies(
  userValue: unknown,
  workspaceValues: readonly unknown[],
): PermissionPolicy {
  const problems: string[] = [];
  const user = parsePolicies(userValue, problems);
  const workspace = workspaceValues.map((value) => parsePolicies(value, problems));
  for (const [agent, policy] of workspace.flatMap((table) => [...table])) {
    for (const kind of policyKinds) {
      if (policy[kind] !== 'allow' || answerFor(user, agent, kind) === 'allow') continue;
      problems.push(`"${agent}" cannot be allowed to ${kind} by workspace settings, because they can only be stricter`);
    }
  }
  const combined = new Map<string, AgentPolicy>();
  const forAgent = (agent: string): AgentPolicy => {
    const policy = combined.get(agent) ?? combinePolicies(agent, user, workspace);
    combined.set(agent, policy);
    return policy;
  };
  return { forAgent, userPolicies: user, problems };
}

/** Returns the policy kinds of a request. Denied if any kind is denied, allowed only if all are allowed. */
export function policyKindsOfRequest({ command, input, kind }: ToolRequest): readonly PolicyKind[] {
  const ofKind = policyKindByToolKind[kind];
  const runs = command && ofKind !== 'run' ? (['run'] as const) : [];
  const fetches = ofKind !== 'fetch' && namesUrl(input) ? (['fetch'] as const) : [];
  return [...(ofKind ? [ofKind] : []), ...runs, ...fetches];
}

const policyKindByToolKind: Partial<Record<ToolRequest['kind'], PolicyKind>> = {
  read: 'read',
  search: 'read',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
  execute: 'run',
  fetch: 'fetch',
};

function namesUrl(input: ToolRequest['input']): boolean {
  return ['url', 'urls', 'uri'].some((name) => Object.hasOwn(input, name) && /"https?:/i.test(input[name] ?? ''));
}

/** Returns the policy with the answers of `limits` where these are stricter, also for kinds about which the policy says nothing. */
export function limitPolicy(policy: AgentPolicy, limits: AgentPolicy): AgentPolicy {
  return Object.fromEntries(
    policyKinds.flatMap((kind): [PolicyKind, PolicyAnswer][] => {
      const [own, limit] = [policy[kind], limits[kind]];
      const isStricter = limit !== undefined && strictness[limit] > strictness[own ?? 'allow'];
      const answer = isStricter ? limit : own;
      return answer === undefined ? [] : [[kind, answer]];
    }),
  );
}

function combinePolicies(agent: string, user: PolicyByAgent, workspace: readonly PolicyByAgent[]): AgentPolicy {
  return Object.fromEntries(
    policyKinds.flatMap((kind): [PolicyKind, PolicyAnswer][] => {
      const answers = [user, ...workspace].map((table) => answerFor(table, agent, kind));
      const [own] = answers;
      const tightened = answers.slice(1).filter((answer) => answer !== undefined && answer !== 'allow');
      const [strictest] = [own, ...tightened]
        .filter((answer) => answer !== undefined)
        .sort((a, b) => strictness[b] - strictness[a]);
      return strictest === undefined ? [] : [[kind, strictest]];
    }),
  );
}

function answerFor(table: PolicyByAgent, agent: string, kind: PolicyKind): PolicyAnswer | undefined {
  return table.get(agent)?.[kind] ?? table.get(allAgentsKey)?.[kind];
}

const askForEverything: AgentPolicy = { read: 'ask', edit: 'ask', run: 'ask', fetch: 'ask' };

function parsePolicies(value: unknown, problems: string[]): PolicyByAgent {
  if (value === undefined || value === null) return new Map();
  const table = Table.safeParse(value).data;
  if (!table) {
    problems.push('the value is not an object, so every action needs your approval');
    return new Map([[allAgentsKey, askForEverything]]);
  }
  return new Map(Object.entries(table).map(([agent, entry]) => [agent, parseAgentPolicy(agent, entry, problems)]));
}

function parseAgentPolicy(agent: string, value: unknown, problems: string[]): AgentPolicy {
  const entry = Table.safeParse(value).data;
  if (!entry) {
    problems.push(`the entry for "${agent}" is not an object, so every action needs your approval`);
    return askForEverything;
  }
  for (const name of Object.keys(entry)) {
    if (!policyKinds.some((kind) => kind === name)) problems.push(`"${agent}" has an unknown property "${name}"`);
  }
  return Object.fromEntries(
    policyKinds.flatMap((kind): [PolicyKind, PolicyAnswer][] => {
      if (entry[kind] === undefined) return [];
      const answer = PolicyAnswer.safeParse(entry[kind]);
      if (!answer.success) problems.push(`"${kind}" for "${agent}" is not ask, allow or deny, so it is treated as ask`);
      return [[kind, answer.data ?? 'ask']];
    }),
  );
}

/**
 * Returns a copy of the user setting with a new answer for an agent (or `*`) and kind. Undefined removes the answer.
 * Keeps unknown members and replaces invalid entries.
 */
export function withPolicyAnswer(
  userValue: unknown,
  agent: string,
  kind: PolicyKind,
  answer: PolicyAnswer | undefined,
): Record<string, unknown> {
  const table = new Map(Object.entries(Table.safeParse(userValue).data ?? {}));
  const entry = new Map(Object.entries(Table.safeParse(table.get(agent)).data ?? {}));
  if (answer === undefined) entry.delete(kind);
  else entry.set(kind, answer);
  if (entry.size === 0) table.delete(agent);
  else table.set(agent, Object.fromEntries(entry));
  return Object.fromEntries(table);
}
