import type { Cell, PermissionsView, PolicyRow, RuleRow } from './permissionsApi';
import { ruleKey, type PermissionRule } from '../rules/permissionRules';
import type { AgentPolicy, PermissionPolicy } from '../policy/policy';
import { everyAgent, policyKinds, type PolicyKind } from '../policy/policyKinds';
import { detailsOf, subjectOf } from '../rules/ruleWords';
import type { SessionGrant } from '../sessionGrants';
import type { KeptRule } from '../rules/userRules';
import { visible } from '../../../base/common/visibleText';

export interface NamedAgent {
  readonly id: string;
  readonly title: string;
  /** What the policy governs for it; everything when absent. */
  readonly kinds?: readonly PolicyKind[];
}

/** A grant with the id by which the page names it. */
export interface ListedGrant {
  readonly id: string;
  readonly grant: SessionGrant;
}

export interface Permissions {
  readonly policy: PermissionPolicy;
  readonly agents: readonly NamedAgent[];
  readonly kept: readonly KeptRule[];
  readonly grants: readonly ListedGrant[];
}

/** What the page of permissions shows. Dates are in the time zone of the host. */
export function permissionsView({ policy, agents, kept, grants }: Permissions): PermissionsView {
  const titles = new Map(agents.map(({ id, title }) => [id, title]));
  const unknown = [...policy.user.keys()].filter((id) => id !== everyAgent && !titles.has(id));
  const rows: NamedAgent[] = [
    { id: everyAgent, title: 'All agents' },
    ...agents,
    ...unknown.map((id) => ({ id, title: id })),
  ];
  return {
    policy: rows.map((agent) => policyRow(agent, policy)),
    rules: [...kept.map((entry) => keptRow(entry, titles)), ...grants.map(grantRow)],
  };
}

function policyRow({ id, title, kinds = policyKinds }: NamedAgent, policy: PermissionPolicy): PolicyRow {
  const own = policy.user.get(id) ?? {};
  const forAll = policy.user.get(everyAgent) ?? {};
  const holds = policy.of(id);
  const cell = (kind: PolicyKind): Cell => cellOf(own[kind], own[kind] ?? forAll[kind], holds, kind);
  return {
    agent: id,
    title: visible(title),
    cells: Object.fromEntries(kinds.map((kind) => [kind, cell(kind)])),
  };
}

function cellOf(
  chosen: AgentPolicy[PolicyKind],
  inherited: AgentPolicy[PolicyKind],
  holds: AgentPolicy,
  kind: PolicyKind,
): Cell {
  const answer = holds[kind];
  const isStricter = answer !== undefined && answer !== 'allow' && answer !== inherited;
  return { choice: chosen ?? 'inherit', ...(isStricter ? { stricter: answer } : {}) };
}

function keptRow({ rule, createdAt, lastUsedAt, useCount }: KeptRule, titles: ReadonlyMap<string, string>): RuleRow {
  const { agent } = rule;
  const since = createdAt === undefined ? [] : [`since ${dateOf(createdAt)}`];
  const last = lastUsedAt === undefined ? '' : `, last on ${dateOf(lastUsedAt)}`;
  const used = useCount === 0 ? 'never used' : `used ${useCount === 1 ? 'once' : `${useCount} times`}${last}`;
  return {
    id: ruleKey(rule),
    effect: rule.effect,
    title: subjectOf(rule),
    matches: whatMustMatch(rule),
    who: agent === undefined ? 'All agents' : visible(titles.get(agent) ?? agent),
    facts: [...since, used].join(' · '),
    lasts: 'always',
    canRemove: true,
  };
}

/** The agent is shown by itself. */
function whatMustMatch(rule: PermissionRule): string[] {
  return detailsOf({ ...rule, agent: undefined });
}

function grantRow({ id, grant }: ListedGrant): RuleRow {
  const { agentId, agentTitle } = grant;
  const row = { id, who: visible(agentTitle), lasts: 'conversation' as const };
  if (grant.kind === 'rule') {
    const { rule } = grant;
    const facts = 'until this conversation is closed';
    return {
      ...row,
      effect: rule.effect,
      title: subjectOf(rule),
      matches: whatMustMatch(rule),
      facts,
      canRemove: true,
    };
  }
  const facts = visible(`Only ${agentTitle} remembers it. Restart it to be asked again; that stops what it is doing.`);
  return {
    ...row,
    effect: grant.effect,
    title: visible(grant.option),
    matches: [],
    facts,
    canRemove: false,
    remembers: agentId,
  };
}

function dateOf(time: number): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(time);
}
