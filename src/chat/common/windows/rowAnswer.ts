import { hasHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { oneLine } from '../../../base/common/text/oneLine';
import { withoutCodeMarks } from '../../../base/common/text/visibleText';
import { asksForReason } from '../approvals/approvalAnswers';
import { approvalTitle } from '../approvals/approvalWords';
import type { ApprovalOption, ApprovalView, ConversationNeed } from '../chatView';

/** Maximum lengths in UTF-16 units, so that a row can show everything. */
const maxCommandUnits = 120;
const maxTextUnits = 200;
/** A row has no countdown, so a request that is denied within this time, in milliseconds, is answered in its card. */
const minRemainingMs = 30_000;

/**
 * Returns a request in one line, and how it can be answered where nothing but that line is shown. Undefined if its card
 * shows anything else, except lasting answers and the mode of the agent. `backendTitle`: the agent that the row names.
 */
export function rowAnswer(
  view: ApprovalView,
  backendTitle: string,
): Pick<ConversationNeed, 'text' | 'answer'> | undefined {
  const {
    asks,
    cwd,
    env,
    escalations,
    expiresInMs,
    isUndescribed,
    more = [],
    parts,
    shown,
    state,
    title,
    warnings,
  } = view;
  const [part, ...otherParts] = parts;
  if (part?.type !== 'terminal' || otherParts.length > 0) return undefined;
  const { command = '', output, ...rest } = part;
  if (output !== '' || Object.values(rest).some((value) => value !== undefined && value !== 'terminal'))
    return undefined;
  const hasMore = more.some(({ name, value }) => name !== 'title' || withoutCodeMarks(value) !== command);
  const details = [...(warnings ?? []), ...(escalations ?? []), ...(env ?? [])];
  if (details.length > 0 || cwd !== undefined || hasMore || isUndescribed === true) return undefined;
  if (state !== 'pending' || shown === undefined || (expiresInMs ?? Infinity) < minRemainingMs) return undefined;

  if (command === '' || command.length > maxCommandUnits || !saysOnly(view, command)) return undefined;
  const who = asks === backendTitle ? 'Wants' : `${asks} wants`;
  const text = `${who} to run: ${command}${title === undefined ? '' : ` (${title})`}`;
  // A row shows runs of spaces as one.
  if (text.length > maxTextUnits || hasHiddenCharacters(text) || oneLine(text) !== text) return undefined;
  const allow = onlyOption(view, 'allow_once');
  const reject = onlyOption(view, 'reject_once');
  if (!allow || !reject || asksForReason(reject)) return undefined;
  return { text, answer: { approvalId: view.id, shown, allow: allow.label, reject: reject.label } };
}

/** Whether the words of the request are nothing but that this command is to be run. */
function saysOnly(view: ApprovalView, command: string): boolean {
  const { asks, prompt } = view;
  const words = [`${asks} wants to run ${command}`, `Allow running: ${command}`, `Run ${command}`, command];
  return (
    words.some((text) => prompt === text || prompt === `${text}?`) && !approvalTitle(view).startsWith('Run in a shell')
  );
}

/** Undefined if there are several, or if its label says something else or is also that of another option. */
function onlyOption({ options }: ApprovalView, kind: ApprovalOption['kind']): ApprovalOption | undefined {
  const [option, ...others] = options.filter((one) => one.kind === kind);
  if (!option || others.length > 0 || option.isMisnamed === true || hasHiddenCharacters(option.label)) return undefined;
  return options.filter(({ label }) => label === option.label).length === 1 ? option : undefined;
}
