import type { PolicyCell, PermissionsView, PolicyRow, RuleRow } from './permissionsApi';
import { ruleKey, type PermissionRule } from '../rules/permissionRules';
import type { AgentPolicy, PermissionPolicy } from '../policy/policy';
import { allAgentsKey, policyKinds, type PolicyKind } from '../policy/policyKinds';
import { ruleConditions, ruleTitle } from '../rules/ruleWords';
import type { SessionGrant } from '../sessionGrants';
import type { StoredRule } from '../rules/userRules';
import { toVisibleText } from '../../../base/common/text/visibleText';

export interface AgentUnderPolicy {
  readonly id: string;
  readonly title: string;
  /** Kinds that the policy controls for this agent; all by default. */
  readonly kinds?: readonly PolicyKind[];
}

/** A grant with its id on the page. */
export interface ListedGrant {
  readonly id: string;
  readonly grant: SessionGrant;
}

export interface PermissionsViewInput {
  readonly policy: PermissionPolicy;
  readonly agents: readonly AgentUnderPolicy[];
  readonly storedRules: readonly StoredRule[];
  readonly grants: readonly ListedGrant[];
}

/** Returns the contents of the permissions page. Dates are in the host's time zone. */
export function permissionsView({ policy, agents, storedRules, grants }: PermissionsViewInput): PermissionsView {
  const titles = new Map(agents.map(({ id, title }) => [id, title]));
  const unknown = [...policy.userPolicies.keys()].filter((id) => id !== allAgentsKey && !titles.has(id));
  const rows: AgentUnderPolicy[] = [
    { id: allAgentsKey, title: 'All agents' },
    ...agents,
    ...unknown.map((id) => ({ id, title: id })),
  ];
  return {
    policy: rows.map((agent) => policyRow(agent, policy)),
    rules: [...storedRules.map((entry) => storedRuleRow(entry, titles)), ...grants.map(grantRow)],
  };
}

function policyRow({ id, title, kinds = policyKinds }: AgentUnderPolicy, policy: PermissionPolicy): PolicyRow {
  const own = policy.userPolicies.get(id) ?? {};
  const forAll = policy.userPolicies.get(allAgentsKey) ?? {};
  const holds = policy.forAgent(id);
  const cell = (kind: PolicyKind): PolicyCell => policyCell(own[kind], own[kind] ?? forAll[kind], holds, kind);
  return {
    agent: id,
    title: toVisibleText(title),
    cells: Object.fromEntries(kinds.map((kind) => [kind, cell(kind)])),
  };
}

function policyCell(
  chosen: AgentPolicy[PolicyKind],
  inherited: AgentPolicy[PolicyKind],
  holds: AgentPolicy,
  kind: PolicyKind,
): PolicyCell {
  const answer = holds[kind];
  const isStricter = answer !== undefined && answer !== 'allow' && answer !== inherited;
  return { choice: chosen ?? 'inherit', ...(isStricter ? { stricter: answer } : {}) };
}

function storedRuleRow(
  { rule, createdAt, lastUsedAt, useCount }: StoredRule,
  titles: ReadonlyMap<string, string>,
): RuleRow {
  const { agent } = rule;
  const since = createdAt === undefined ? [] : [`created ${formatDate(createdAt)}`];
  const last = lastUsedAt === undefined ? '' : `, last on ${formatDate(lastUsedAt)}`;
  const used = useCount === 0 ? 'never used' : `used ${useCount === 1 ? 'once' : `${useCount} times`}${last}`;
  return {
    id: ruleKey(rule),
    effect: rule.effect,
    title: ruleTitle(rule),
    matches: conditionsOf(rule),
    who: agent === undefined ? 'All agents' : toVisibleText(titles.get(agent) ?? agent),
    facts: [...since, used].join(' · '),
    lasts: 'always',
    canRemove: true,
  };
}

/** Returns the conditions of a rule as text. Omits the agent, which the page shows separately. */
function conditionsOf(rule: PermissionRule): string[] {
  return ruleConditions({ ...rule, agent: undefined });
}

function grantRow({ id, grant }: ListedGrant): RuleRow {
  const { agentId, agentTitle } = grant;
  const row = { id, who: toVisibleText(agentTitle), lasts: 'conversation' as const };
  if (grant.kind === 'rule') {
    const { rule } = grant;
    return {
      ...row,
      effect: rule.effect,
      title: ruleTitle(rule),
      matches: conditionsOf(rule),
      facts: 'until this conversation is closed',
      canRemove: true,
    };
  }
  return {
    ...row,
    effect: grant.effect,
    title: toVisibleText(grant.optionLabel),
    matches: [],
    facts: toVisibleText(
      `Only ${agentTitle} remembers this answer. To be asked again, restart the agent. This stops its current work.`,
    ),
    canRemove: false,
    remembers: agentId,
  };
}

function formatDate(time: number): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(time);
}
