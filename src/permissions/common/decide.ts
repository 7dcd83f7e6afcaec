import { changesWhatRuns } from './requests/environmentVariables';
import { matches, type PermissionRule } from './rules/permissionRules';
import { policyKindsOf, type AgentPolicy } from './policy/policy';
import type { PolicyKind } from './policy/policyKinds';
import { isKnownToPolicy } from './policy/policyMembers';
import type { RuleGlobs } from './rules/ruleGlobs';
import type { ToolRequest } from './requests/toolRequest';

export interface Standing {
  readonly rules: readonly PermissionRule[];
  /** That of the request's agent. */
  readonly policy: AgentPolicy;
  /** Those of the rules. */
  readonly globs: RuleGlobs;
  /** Whether a file makes things run; its path is absolute and resolved. */
  readonly isProtected: (path: string) => boolean;
}

/** With what it rests on, for whoever counts the use of rules or gives a reason. */
export type Decision =
  | { readonly answer: 'allow' | 'deny'; readonly rule: PermissionRule }
  | { readonly answer: 'allow' | 'deny'; readonly policy: PolicyKind }
  | { readonly answer: 'ask'; readonly because: 'protected' | 'unresolved' | 'escalation' | 'unsettled' };

/**
 * What becomes of a request without a question, or that there has to be one. In this order: a rule that denies, a policy
 * that denies, a protected file that would be changed, something that is not known, a rule that allows, a policy that allows.
 * No policy allows what lifts a restriction, a command with variables that change what runs, what deletes or moves, or a
 * request of which it is not known what it does: one with other members than its kind has, or that names nothing.
 */
export function decide(request: ToolRequest, { rules, policy, globs, isProtected }: Standing): Decision {
  const matching = rules.filter((rule) => matches(rule, request, globs));
  const denying = matching.find(({ effect }) => effect === 'deny');
  if (denying) return { answer: 'deny', rule: denying };
  const kinds = policyKindsOf(request);
  const denied = kinds.find((kind) => policy[kind] === 'deny');
  if (denied) return { answer: 'deny', policy: denied };
  if (mayChange(request) && request.paths.some(isProtected)) return { answer: 'ask', because: 'protected' };
  if (request.isUnresolved) return { answer: 'ask', because: 'unresolved' };
  const [allowing] = matching;
  if (allowing) return { answer: 'allow', rule: allowing };
  if (isEscalation(request)) return { answer: 'ask', because: 'escalation' };
  const [first] = kinds;
  if (first && isForPolicy(request) && kinds.every((kind) => policy[kind] === 'allow')) {
    return { answer: 'allow', policy: first };
  }
  return { answer: 'ask', because: 'unsettled' };
}

/** Whether the request may change the files it names. */
export function mayChange({ command, kind }: ToolRequest): boolean {
  return command !== undefined || !leaving.has(kind);
}

const leaving: ReadonlySet<ToolRequest['kind']> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode']);

/** Which system the command is for is not known here, so the case of names counts on none. */
function isEscalation({ env, escalations }: ToolRequest): boolean {
  return Object.keys(escalations).length > 0 || Object.keys(env).some((name) => changesWhatRuns(name, true));
}

function isForPolicy(request: ToolRequest): boolean {
  return request.kind !== 'delete' && request.kind !== 'move' && isKnownToPolicy(request);
}
