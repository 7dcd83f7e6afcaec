import type { RequestPermissionOutcome } from '@agentclientprotocol/sdk';
import type { ApprovalOptionKind } from '../../../session/common/sessionEvents';
import { createNarrowestRule, type PermissionRule } from '../../../permissions/common/rules/permissionRules';
import { describeLastingAnswer } from '../../../permissions/common/rules/ruleWords';
import type { ToolRequest } from '../../../permissions/common/requests/toolRequest';
import { toVisibleText } from '../../../base/common/text/visibleText';
import type { ApprovalOption } from '../../../session/common/engine/approvals';
import type { PermissionRequest } from '../session/agentMessages';

/** An answer offered to the user. Choosing it stores `rule`. */
export interface PermissionChoice extends ApprovalOption {
  readonly rule?: PermissionRule;
}

interface ToolChoice extends PermissionChoice {
  readonly outcome: RequestPermissionOutcome;
}

interface ChoiceContext {
  readonly agentTitle: string;
  /** Absolute path of the session's folder. */
  readonly folder: string;
}

const kindOrder: readonly ApprovalOptionKind[] = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];

/** Sorts options by kind and keeps the order within each kind. */
export function sortedByKind<Option extends ApprovalOption>(options: readonly Option[]): Option[] {
  return [...options].sort((a, b) => kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind));
}

/** Tells Backline's own lasting answers from those of the agent, which may keep or forget them. */
const ownMark = ' (rule in Backline)';

/** Choices that allow an action permanently or for the conversation, each with the narrowest rule. */
export function lastingAllowChoices(request: ToolRequest, context: ChoiceContext, mark = ''): PermissionChoice[] {
  const scopes = [
    ['Always allow in this conversation', 'session'],
    ['Always allow', 'always'],
  ] as const;
  return scopes.flatMap(([name, scope]): PermissionChoice[] => {
    const rule = createNarrowestRule(request, 'allow', scope);
    return rule
      ? [{ name: `${name}${mark}`, kind: 'allow_always', scope: describeLastingAnswer(rule, context), rule }]
      : [];
  });
}

/** The agent's options and lasting choices with rules. Changes of protected files cannot be allowed permanently. */
export function toolCallChoices(
  agentRequest: PermissionRequest,
  request: ToolRequest,
  context: ChoiceContext & { readonly isProtected: boolean },
): ToolChoice[] {
  const agentChoices = agentRequest.options.map(({ optionId, name, kind }): ToolChoice => {
    const choice = { name: toVisibleText(name), kind, outcome: { outcome: 'selected' as const, optionId } };
    return kind.endsWith('_always') ? { ...choice, scope: 'the agent decides what is similar' } : choice;
  });
  const onceOutcome = outcomeOfFirstOption(agentRequest, 'allow_once');
  const isAllowedOnce = onceOutcome.outcome === 'selected';
  if (context.isProtected) return withDenyChoice(agentChoices.filter(({ kind }) => kind !== 'allow_always'));
  const has = (kind: ApprovalOptionKind): boolean => agentChoices.some((choice) => choice.kind === kind);
  const allowChoices = isAllowedOnce
    ? lastingAllowChoices(request, context, has('allow_always') ? ownMark : '').map((choice): ToolChoice => ({
        ...choice,
        outcome: onceOutcome,
      }))
    : [];
  return sortedByKind([
    ...agentChoices,
    ...allowChoices,
    ...lastingDenyChoices(agentRequest, request, context, has('reject_always') ? ownMark : ''),
  ]);
}

function withDenyChoice(choices: readonly ToolChoice[]): ToolChoice[] {
  const isDeniable = choices.some(({ kind }) => kind.startsWith('reject'));
  const deny: ToolChoice = { name: 'Deny', kind: 'reject_once', outcome: { outcome: 'cancelled' } };
  return sortedByKind(isDeniable ? choices : [...choices, deny]);
}

export function offersOnlyLastingAllow({ options }: PermissionRequest): boolean {
  const has = (wanted: ApprovalOptionKind): boolean => options.some(({ kind }) => kind === wanted);
  return has('allow_always') && !has('allow_once');
}

function lastingDenyChoices(
  agentRequest: PermissionRequest,
  request: ToolRequest,
  context: ChoiceContext,
  mark: string,
): ToolChoice[] {
  const rule = createNarrowestRule(request, 'deny', 'always');
  const outcome = outcomeOfFirstOption(agentRequest, 'reject_once');
  return rule
    ? [
        {
          name: `Always deny${mark}`,
          kind: 'reject_always',
          scope: describeLastingAnswer(rule, context),
          rule,
          outcome,
        },
      ]
    : [];
}

/** Selects the first option of the given kinds, or `cancelled` if there is none. */
export function outcomeOfFirstOption(
  { options }: PermissionRequest,
  ...kinds: readonly ApprovalOptionKind[]
): RequestPermissionOutcome {
  for (const kind of kinds) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option) return { outcome: 'selected', optionId: option.optionId };
  }
  return { outcome: 'cancelled' };
}
