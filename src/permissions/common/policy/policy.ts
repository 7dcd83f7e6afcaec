import * as z from 'zod';
import { everyAgent, policyKinds, type PolicyKind } from './policyKinds';
import type { ToolRequest } from '../requests/toolRequest';

export const PolicyAnswer = z.enum(['ask', 'allow', 'deny']);
export type PolicyAnswer = z.infer<typeof PolicyAnswer>;

/** For one agent. What is absent is left to whoever asks: our own questions ask, an agent's own requests ask. */
export type AgentPolicy = Readonly<Partial<Record<PolicyKind, PolicyAnswer>>>;

/** What the setting `backline.permissions` holds at one level, checked. */
type PolicyTable = ReadonlyMap<string, AgentPolicy>;

/** What holds, for whoever decides. */
export interface PermissionPolicy {
  /** What holds for the agent. */
  of(agent: string): AgentPolicy;
  /** What the user's own settings say, by agent and for `*`; without what a workspace adds. */
  readonly user: PolicyTable;
  /** What the setting holds that did not count as written, for the log. */
  readonly problems: readonly string[];
}

const Table = z.record(z.string(), z.unknown());
const strictness: Readonly<Record<PolicyAnswer, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * The user's word, made stricter where a level of the workspace says so: trusted or not, since an agent can write these
 * levels, and since asking more is always safe. At each level what an agent's own entry says comes before `*`. A value that
 * is wrong is told as a problem and counts as `ask`.
 */
export function effectivePolicy(userValue: unknown, workspaceValues: readonly unknown[]): PermissionPolicy {
  const problems: string[] = [];
  const user = tableOf(userValue, problems);
  const workspace = workspaceValues.map((value) => tableOf(value, problems));
  for (const [agent, policy] of workspace.flatMap((table) => [...table])) {
    for (const kind of policyKinds) {
      if (policy[kind] !== 'allow' || answerAt(user, agent, kind) === 'allow') continue;
      problems.push(`"${agent}" may not be allowed to ${kind} by the workspace's settings, which can only be stricter`);
    }
  }
  return { of: (agent) => policyOf(agent, user, workspace), user, problems };
}

/** The kinds of the policy that a request is about. One that denies is enough; all must allow. */
export function policyKindsOf({ command, input, kind }: ToolRequest): readonly PolicyKind[] {
  const ofKind = kindsOfTools[kind];
  const runs = command && ofKind !== 'run' ? (['run'] as const) : [];
  const fetches = ofKind !== 'fetch' && namesUrl(input) ? (['fetch'] as const) : [];
  return [...(ofKind ? [ofKind] : []), ...runs, ...fetches];
}

const kindsOfTools: Partial<Record<ToolRequest['kind'], PolicyKind>> = {
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

function policyOf(agent: string, user: PolicyTable, workspace: readonly PolicyTable[]): AgentPolicy {
  return Object.fromEntries(
    policyKinds.flatMap((kind): [PolicyKind, PolicyAnswer][] => {
      const answers = [user, ...workspace].map((table) => answerAt(table, agent, kind));
      const [own] = answers;
      const tightened = answers.slice(1).filter((answer) => answer !== undefined && answer !== 'allow');
      const [strictest] = [own, ...tightened]
        .filter((answer) => answer !== undefined)
        .sort((a, b) => strictness[b] - strictness[a]);
      return strictest === undefined ? [] : [[kind, strictest]];
    }),
  );
}

function answerAt(table: PolicyTable, agent: string, kind: PolicyKind): PolicyAnswer | undefined {
  return table.get(agent)?.[kind] ?? table.get(everyAgent)?.[kind];
}

const asksForAll: AgentPolicy = { read: 'ask', edit: 'ask', run: 'ask', fetch: 'ask' };

function tableOf(value: unknown, problems: string[]): PolicyTable {
  if (value === undefined || value === null) return new Map();
  const table = Table.safeParse(value).data;
  if (!table) {
    problems.push('the value is not a table of agents, so everything is asked');
    return new Map([[everyAgent, asksForAll]]);
  }
  return new Map(Object.entries(table).map(([agent, entry]) => [agent, agentPolicy(agent, entry, problems)]));
}

function agentPolicy(agent: string, value: unknown, problems: string[]): AgentPolicy {
  const entry = Table.safeParse(value).data;
  if (!entry) {
    problems.push(`the entry of "${agent}" is not a table, so everything is asked`);
    return asksForAll;
  }
  for (const name of Object.keys(entry)) {
    if (!policyKinds.some((kind) => kind === name)) problems.push(`"${agent}" has an unknown member "${name}"`);
  }
  return Object.fromEntries(
    policyKinds.flatMap((kind): [PolicyKind, PolicyAnswer][] => {
      if (entry[kind] === undefined) return [];
      const answer = PolicyAnswer.safeParse(entry[kind]);
      if (!answer.success) problems.push(`"${kind}" of "${agent}" is not ask, allow or deny and counts as ask`);
      return [[kind, answer.data ?? 'ask']];
    }),
  );
}

/**
 * The user's value of the setting with another choice for one agent (or `*`) and kind; undefined leaves it to `*`, and there
 * to whoever asks. What is unknown in the value stays as it is; an entry that is no table is replaced.
 */
export function withChoice(
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
