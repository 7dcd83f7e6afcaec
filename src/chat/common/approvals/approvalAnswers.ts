import type { ApprovalAnswer } from '../chatPorts';
import type { ApprovalOption, ApprovalView } from '../chatView';

interface AnswerGroup {
  /**
   * The answer for the button and its shortcut. Never a lasting answer, and never one with a misleading label. Undefined if
   * there are several, because only the user can choose among them.
   */
  readonly primary: ApprovalOption | undefined;
  /** All answers of the group: the primary one first, and lasting ones last. */
  readonly all: readonly ApprovalOption[];
}

/** The answers to an approval, grouped for its card. */
export interface AnswerGroups {
  readonly allow: AnswerGroup;
  readonly deny: AnswerGroup;
  /** The answer for a denial with a reason: the only one that asks for it, or else the primary denial. */
  readonly denyWithReason: ApprovalOption | undefined;
  /** Answers that are not known to allow or deny. */
  readonly others: readonly ApprovalOption[];
}

type Kind = ApprovalOption['kind'];

export function groupAnswers(options: readonly ApprovalOption[]): AnswerGroups {
  const deny = groupOf(options, 'reject');
  return {
    allow: groupOf(options, 'allow'),
    deny,
    denyWithReason: onlyOne(deny.all.filter((option) => isPlain(option) && asksForReason(option))) ?? deny.primary,
    others: options.filter(({ kind }) => kind === 'other'),
  };
}

/** Returns an answer to what a view shows. */
export function answerTo({ id: approvalId, shown }: ApprovalView, option: string): ApprovalAnswer {
  return { approvalId, option, shown };
}

/**
 * The primary answers to several pending approvals. Undefined if there is only one, if one has no such answer, or if one
 * would be allowed that shows a risk, which the user has to see first.
 */
export function answersToAll(
  approvals: readonly ApprovalView[],
  direction: 'allow' | 'deny',
): readonly ApprovalAnswer[] | undefined {
  const pending = approvals.filter(({ state }) => state === 'pending');
  const answers = pending.flatMap((approval): ApprovalAnswer[] => {
    const { primary } = groupAnswers(approval.options)[direction];
    return !primary || (direction === 'allow' && isRisky(approval)) ? [] : [answerTo(approval, primary.label)];
  });
  return answers.length > 1 && answers.length === pending.length ? answers : undefined;
}

function isRisky({ env = [], escalations = [], isUndescribed = false, warnings = [] }: ApprovalView): boolean {
  return isUndescribed || warnings.length + escalations.length > 0 || env.some(({ effect }) => effect !== undefined);
}

/** Whether the label says that the user can write what to do instead. */
export function asksForReason({ label }: Pick<ApprovalOption, 'label'>): boolean {
  return /\b(?:tell|say|explain|differently|instead|feedback|reason|comment)\b/i.test(label);
}

/** Whether the option also answers later approvals. */
export function isLastingAnswer({ kind }: Pick<ApprovalOption, 'kind'>): boolean {
  return kind === 'allow_always' || kind === 'reject_always';
}

/** Sentences that are shown after a misleading label. */
export const misleadingLabelNotes: Readonly<Record<Kind, string>> = {
  allow_once: 'Despite its label, this allows this request only.',
  allow_always: 'Despite its label, this also allows such requests in the future.',
  reject_once: 'Despite its label, this denies this request only.',
  reject_always: 'Despite its label, this also denies such requests in the future.',
  other: 'The effect of this answer is unknown.',
};

function groupOf(options: readonly ApprovalOption[], direction: 'allow' | 'reject'): AnswerGroup {
  const group = options.filter(({ kind }) => directionOf(kind) === direction);
  const plain = group.filter(isPlain);
  const withoutReason = plain.filter((option) => !asksForReason(option));
  const primary = onlyOne(withoutReason.length > 0 ? withoutReason : plain);
  const rankOf = (option: ApprovalOption): number => (option === primary ? 0 : isLastingAnswer(option) ? 2 : 1);
  return { primary, all: group.toSorted((one, other) => rankOf(one) - rankOf(other)) };
}

function onlyOne<Item>([first, ...others]: readonly Item[]): Item | undefined {
  return others.length === 0 ? first : undefined;
}

/** Whether the option answers once, as its label says. */
function isPlain(option: ApprovalOption): boolean {
  return !isLastingAnswer(option) && option.isMisnamed !== true;
}

function directionOf(kind: Kind): 'allow' | 'reject' | 'other' {
  if (kind === 'other') return 'other';
  return kind.startsWith('allow') ? 'allow' : 'reject';
}
