import { fileNameOf } from '../../../base/common/text/fileNameOf';
import { oneLine } from '../../../base/common/text/oneLine';
import { withoutCodeMarks } from '../../../base/common/text/visibleText';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { asksForReason } from '../approvals/approvalAnswers';
import { approvalTitle } from '../approvals/approvalWords';
import type { ApprovalOption, ApprovalView, ConversationNeed } from '../chatView';

/** What is invisible, looks like a space, is not defined, or is written from right to left and can so be out of order. */
const misleading =
  /[\p{DI}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u2028\u2029\u2800\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Maximum lengths in UTF-16 units, so that a row can show everything. */
const maxCommandUnits = 120;
const maxTextUnits = 200;
/** A row has no countdown, so a request is answered in its card for this time before it is denied, in milliseconds. */
const minRemainingMs = 30_000;

/**
 * Returns a request in one line, and how it can be answered where nothing but that line is shown. Undefined if its card
 * shows anything else, except lasting answers and the mode of the agent. `backendTitle`: the agent that the row names.
 * `expiresAt`: when the request times out, in milliseconds since the epoch.
 */
export function rowAnswer(
  view: ApprovalView,
  backendTitle: string,
  expiresAt: number | undefined,
): Pick<ConversationNeed, 'text' | 'answer'> | undefined {
  const { asks, cwd, env, escalations, folder, isUndescribed, more = [], parts, shown, state, title, warnings } = view;
  const [part, ...otherParts] = parts;
  if (part?.type !== 'terminal' || otherParts.length > 0) return undefined;
  const { command = '', output, ...rest } = part;
  if (output !== '' || Object.values(rest).some((value) => value !== undefined && value !== 'terminal'))
    return undefined;
  const hasMore = more.some(({ name, value }) => name !== 'title' || withoutCodeMarks(value) !== command);
  const details = [...(warnings ?? []), ...(escalations ?? []), ...(env ?? [])];
  const names = [cwd, view.subagent];
  if (details.length > 0 || names.some((name) => name !== undefined) || hasMore || isUndescribed === true)
    return undefined;
  if (state !== 'pending' || shown === undefined || folder === undefined) return undefined;

  if (command === '' || command.length > maxCommandUnits || !saysOnly(view, command)) return undefined;
  const who = asks === backendTitle ? 'Wants' : `${asks} wants`;
  const text = `${who} to run in ${fileNameOf(folder)}: ${command}${title === undefined ? '' : ` (${title})`}`;
  // A row shows runs of spaces as one.
  if (text.length > maxTextUnits || misleading.test(text) || oneLine(text) !== text) return undefined;
  const allow = onlyOption(view, 'allow_once');
  const reject = onlyOption(view, 'reject_once');
  if (!allow || !reject || asksForReason(reject)) return undefined;
  const until = expiresAt === undefined ? undefined : expiresAt - minRemainingMs;
  const answer = { approvalId: view.id, shown, allow: allow.label, reject: reject.label };
  return { text, answer: { ...answer, ...withoutUndefined({ until }) } };
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
  if (!option || others.length > 0 || option.isMisnamed === true || misleading.test(option.label)) return undefined;
  return options.filter(({ label }) => label === option.label).length === 1 ? option : undefined;
}
