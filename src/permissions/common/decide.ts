import { affectsCommandExecution } from './requests/environmentVariables';
import { ruleMatches, type PermissionRule } from './rules/permissionRules';
import { policyKindsOfRequest, type AgentPolicy } from './policy/policy';
import type { PolicyKind } from './policy/policyKinds';
import { hasKnownEffects } from './policy/policyMembers';
import type { RuleGlobs } from './rules/ruleGlobs';
import type { ToolRequest } from './requests/toolRequest';

export interface DecisionContext {
  readonly rules: readonly PermissionRule[];
  /** Policy for the agent that sends the request. */
  readonly policy: AgentPolicy;
  readonly globs: RuleGlobs;
  /** Whether a file is protected. `path` is absolute and resolved. */
  readonly isProtected: (path: string) => boolean;
}

/** The answer to a request, with the rule, policy or reason behind it. */
export type Decision =
  | { readonly answer: 'allow' | 'deny'; readonly rule: PermissionRule }
  | { readonly answer: 'allow' | 'deny'; readonly policy: PolicyKind }
  | { readonly answer: 'ask'; readonly because: 'protected' | 'unresolved' | 'escalation' | 'unsettled' };

/**
 * Decides whether a request is allowed, denied or needs the user. Precedence: a denying rule, a denying policy, a change to a
 * protected file, an unresolved request, an allowing rule, an allowing policy. A policy never allows a request that lifts a
 * restriction, sets variables that affect execution, deletes or moves files, or has unknown effects.
 */
export function decideRequest(request: ToolRequest, { rules, policy, globs, isProtected }: DecisionContext): Decision {
  const matching = rules.filter((rule) => ruleMatches(rule, request, globs));
  const denying = matching.find(({ effect }) => effect === 'deny');
  if (denying) return { answer: 'deny', rule: denying };
  const kinds = policyKindsOfRequest(request);
  const denied = kinds.find((kind) => policy[kind] === 'deny');
  if (denied) return { answer: 'deny', policy: denied };
  if (couldChangeFiles(request) && request.paths.some(isProtected)) return { answer: 'ask', because: 'protected' };
  if (request.isUnresolved) return { answer: 'ask', because: 'unresolved' };
  const [allowing] = matching;
  if (allowing) return { answer: 'allow', rule: allowing };
  if (needsEscalation(request)) return { answer: 'ask', because: 'escalation' };
  const [first] = kinds;
  if (first && canPolicyAllow(request) && kinds.every((kind) => policy[kind] === 'allow')) {
    return { answer: 'allow', policy: first };
  }
  return { answer: 'ask', because: 'unsettled' };
}

export function couldChangeFiles({ command, kind }: ToolRequest): boolean {
  return command !== undefined || !readOnlyKinds.has(kind);
}

/** Whether a request is known to do nothing else than read files or the web. The agent chooses its kind, so that alone says little. */
export function onlyReads(request: ToolRequest): boolean {
  const isReading = readingKinds.has(request.kind) && request.command === undefined;
  return isReading && !request.isUnresolved && !needsEscalation(request) && hasKnownEffects(request);
}

const readingKinds: ReadonlySet<ToolRequest['kind']> = new Set(['read', 'search', 'fetch']);
const readOnlyKinds: ReadonlySet<ToolRequest['kind']> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode']);

/** Ignores the case of variable names, because the target system is unknown. */
function needsEscalation({ env, escalations }: ToolRequest): boolean {
  return Object.keys(escalations).length > 0 || Object.keys(env).some((name) => affectsCommandExecution(name, true));
}

function canPolicyAllow(request: ToolRequest): boolean {
  return request.kind !== 'delete' && request.kind !== 'move' && hasKnownEffects(request);
}
