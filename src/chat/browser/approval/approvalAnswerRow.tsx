import type { ComponentChildren } from 'preact';
import { showHiddenCharacters } from '../../../base/common/hiddenCharacters';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import { CheckIcon, CloseIcon, StopIcon, WarningIcon, type Icon } from '../../../webview/browser/icons';
import type { CustomMenuItem } from '../../../webview/browser/menu';
import { chordLabel } from '../../../webview/browser/platformKeys';
import { SplitButton } from '../../../webview/browser/splitButton';
import { isLastingAnswer, misleadingLabelNotes, type AnswerGroups } from '../../common/approvals/approvalAnswers';
import type { ApprovalOption } from '../../common/chatView';

interface AnswerRowProps {
  readonly answers: AnswerGroups;
  readonly requester: string;
  /** Who decides what a lasting answer covers, if the answer does not state its scope. */
  readonly decider: 'agent' | 'server';
  readonly disabled: boolean;
  readonly onAnswer: (option: ApprovalOption) => void;
  readonly onStop: () => void;
  readonly onReason: () => void;
}

/** Shows all answers in one row: the most common ones as buttons, the others in menus of these buttons. */
export function ApprovalAnswerRow({
  answers,
  requester,
  decider,
  disabled,
  onAnswer,
  onStop,
  onReason,
}: AnswerRowProps) {
  const { allow, deny, others } = answers;
  const itemOf = (option: ApprovalOption, index: number): CustomMenuItem => ({
    key: `${index} ${option.label}`,
    content: <AnswerMenuRow option={option} decider={decider} />,
    run: () => onAnswer(option),
  });
  const reason: CustomMenuItem = {
    key: 'reason',
    content: <span>Deny with Reason…</span>,
    run: onReason,
  };
  const hasDenial = deny.primary !== undefined || deny.menu.length > 0;
  const [other] = others;
  return (
    <div class="approval-answers">
      {(allow.primary ?? allow.menu.length > 0) && (
        <SplitButton
          isPrimary={allow.primary !== undefined}
          disabled={disabled}
          menuLabel="More ways to allow"
          items={allow.menu.map(itemOf)}
          {...plainAnswerProps(allow.primary, chordLabel('K', 'Y'), '1', onAnswer)}
        >
          {allow.primary ? <AnswerLabel option={allow.primary} icon={CheckIcon} digit="1" /> : 'Allow…'}
        </SplitButton>
      )}
      {hasDenial && (
        <SplitButton
          disabled={disabled}
          menuLabel="More ways to deny"
          items={[...deny.menu.map(itemOf), ...(deny.primary ? [reason] : [])]}
          {...plainAnswerProps(deny.primary, chordLabel('K', 'N'), '2', onAnswer)}
        >
          {deny.primary ? <AnswerLabel option={deny.primary} icon={CloseIcon} digit="2" /> : 'Deny…'}
        </SplitButton>
      )}
      {!hasDenial && (
        <button
          type="button"
          class="button"
          disabled={disabled}
          title={`${showHiddenCharacters(requester)} doesn’t offer a way to deny this. Select Stop to end the turn. (${chordLabel('K', 'N')})`}
          aria-keyshortcuts="2"
          onClick={onStop}
        >
          <AnswerKey icon={StopIcon} digit="2" />
          Stop
        </button>
      )}
      {other && others.length === 1 && (
        <button
          type="button"
          class="button"
          disabled={disabled}
          onClick={() => onAnswer(other)}
          title={answerTooltip(other)}
        >
          <AnswerName option={other} />
        </button>
      )}
      {others.length > 1 && (
        <SplitButton disabled={disabled} menuLabel="Other answers" items={others.map(itemOf)}>
          Other…
        </SplitButton>
      )}
    </div>
  );
}

function plainAnswerProps(
  option: ApprovalOption | undefined,
  chord: string,
  digit: string,
  onAnswer: (option: ApprovalOption) => void,
): { title?: string; keyShortcuts?: string; onClick?: () => void } {
  if (!option) return {};
  return { title: `${answerTooltip(option)} (${chord})`, keyShortcuts: digit, onClick: () => onAnswer(option) };
}

function answerTooltip({ isMisnamed = false, kind, label }: ApprovalOption): string {
  return showHiddenCharacters(isMisnamed ? `${label}. ${misleadingLabelNotes[kind]}` : label);
}

function AnswerLabel({ option, icon, digit }: { option: ApprovalOption; icon: Icon; digit: string }) {
  return (
    <>
      <AnswerKey icon={icon} digit={digit} />
      <AnswerName option={option} />
    </>
  );
}

/** Shows the icon of an answer, and its key while the card has the focus. */
function AnswerKey({ icon: Picture, digit }: { icon: Icon; digit: string }) {
  return (
    <span class="answer-sign" aria-hidden="true">
      <Picture />
      <kbd>{digit}</kbd>
    </span>
  );
}

function AnswerName({ option: { isMisnamed = false, kind, label } }: { option: ApprovalOption }) {
  return (
    <>
      {isMisnamed && <WarningMark />}
      <bdi class="answer-name one-line">
        <UntrustedText text={label} />
      </bdi>
      {isMisnamed && <span class="visually-hidden">{` (${misleadingLabelNotes[kind]})`}</span>}
    </>
  );
}

function WarningMark() {
  return (
    <span class="answer-mark">
      <WarningIcon />
    </span>
  );
}

function AnswerMenuRow({ option, decider }: { option: ApprovalOption; decider: 'agent' | 'server' }) {
  const scope = option.scope ?? (isLastingAnswer(option) ? `The ${decider} decides what is similar` : undefined);
  const details: ComponentChildren[] = [];
  if (option.isMisnamed) details.push(misleadingLabelNotes[option.kind]);
  if (scope !== undefined) details.push(<UntrustedText text={scope} />);
  return (
    <span class="answer-item">
      <span class="answer-line">
        {option.isMisnamed && <WarningMark />}
        <bdi>
          <UntrustedText text={option.label} />
        </bdi>
      </span>
      {details.map((detail, index) => (
        <span key={index} class="answer-scope">
          {' '}
          {detail}
        </span>
      ))}
    </span>
  );
}
