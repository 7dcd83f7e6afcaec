import type { ComponentChildren } from 'preact';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import { CheckIcon, CloseIcon, StopIcon, WarningIcon, type Icon } from '../../../webview/browser/icons';
import type { CustomMenuItem } from '../../../webview/browser/menu';
import { chordLabel } from '../../../webview/browser/platformKeys';
import { SplitButton } from '../../../webview/browser/splitButton';
import {
  asksForReason,
  isLastingAnswer,
  misleadingLabelNotes,
  type AnswerGroups,
} from '../../common/approvals/approvalAnswers';
import type { ApprovalAnswer } from '../../common/chatPorts';
import type { ApprovalOption } from '../../common/chatView';

interface AnswerRowProps {
  readonly answers: AnswerGroups;
  /** The answers to all pending approvals, if they can be answered together. */
  readonly allowAll: readonly ApprovalAnswer[] | undefined;
  readonly denyAll: readonly ApprovalAnswer[] | undefined;
  readonly requester: string;
  /** Who decides what a lasting answer covers, if the answer does not state its scope. */
  readonly decider: 'agent' | 'server';
  readonly disabled: boolean;
  readonly onAnswer: (option: ApprovalOption) => void;
  readonly onAnswerAll: (answers: readonly ApprovalAnswer[]) => void;
  readonly onStop: () => void;
  readonly onReason: () => void;
}

/** Shows all answers in one row: Allow and Deny, whatever the agent calls them, and its own labels in the menus. */
export function ApprovalAnswerRow({
  answers,
  allowAll,
  denyAll,
  requester,
  decider,
  disabled,
  onAnswer,
  onAnswerAll,
  onStop,
  onReason,
}: AnswerRowProps) {
  const { allow, deny, denyWithReason, others } = answers;
  const opensComposer = (option: ApprovalOption): boolean => option === denyWithReason && asksForReason(option);
  const itemsOf = (options: readonly ApprovalOption[]): CustomMenuItem[] =>
    options.map((option, index) => ({
      key: `${index} ${option.label}`,
      content: <AnswerMenuRow option={option} decider={decider} />,
      run: opensComposer(option) ? onReason : () => onAnswer(option),
    }));
  const reason: CustomMenuItem = { key: 'reason', content: <span>Deny with Reason…</span>, run: onReason };
  const itemsOfAll = (verb: 'Allow' | 'Deny', all: readonly ApprovalAnswer[] | undefined): CustomMenuItem[] =>
    all ? [{ key: 'all', content: <span>{allLabel(verb, all)}</span>, run: () => onAnswerAll(all) }] : [];
  const allowItems = [...itemsOf(allow.all), ...itemsOfAll('Allow', allowAll)];
  // A menu that only repeats the button is left out, unless it says what the answer covers.
  const hasAllowMenu = allowItems.length > 1 || allow.primary?.scope !== undefined || !allow.primary;
  const denyItems = itemsOf(deny.all);
  // After the primary denial, which is the one that takes the reason.
  if (denyWithReason && !asksForReason(denyWithReason)) denyItems.splice(1, 0, reason);
  denyItems.push(...itemsOfAll('Deny', denyAll));
  return (
    <div class="approval-answers">
      {allowItems.length > 0 && (
        <SplitButton
          isPrimary={allow.primary !== undefined}
          disabled={disabled}
          menuLabel="More ways to allow"
          items={hasAllowMenu ? allowItems : []}
          {...plainAnswerProps(allow.primary, chordLabel('K', 'Y'), '1', onAnswer)}
        >
          {allow.primary ? <AnswerName name="Allow" icon={CheckIcon} digit="1" /> : 'Allow…'}
        </SplitButton>
      )}
      {denyItems.length > 0 ? (
        <SplitButton
          disabled={disabled}
          menuLabel="More ways to deny"
          items={denyItems}
          {...plainAnswerProps(deny.primary, chordLabel('K', 'N'), '2', onAnswer)}
        >
          {deny.primary ? <AnswerName name="Deny" icon={CloseIcon} digit="2" /> : 'Deny…'}
        </SplitButton>
      ) : (
        <button
          type="button"
          class="button"
          disabled={disabled}
          title={`${showHiddenCharacters(requester)} doesn’t offer a way to deny this. Select Stop to end the turn. (${chordLabel('K', 'N')})`}
          aria-keyshortcuts="2"
          onClick={onStop}
        >
          <AnswerName name="Stop" icon={StopIcon} digit="2" />
        </button>
      )}
      {others.length > 0 && (
        <SplitButton disabled={disabled} menuLabel="Other answers" items={itemsOf(others)}>
          Other…
        </SplitButton>
      )}
      {(allowAll ?? denyAll) && (
        <span class="approval-all">
          <AllButton verb="Allow" all={allowAll} disabled={disabled} onAnswerAll={onAnswerAll} />
          <AllButton verb="Deny" all={denyAll} disabled={disabled} onAnswerAll={onAnswerAll} />
        </span>
      )}
    </div>
  );
}

interface AllButtonProps extends Pick<AnswerRowProps, 'disabled' | 'onAnswerAll'> {
  readonly verb: 'Allow' | 'Deny';
  readonly all: readonly ApprovalAnswer[] | undefined;
}

/** Answers all pending approvals. Where the window is small, only the menus offer it. */
function AllButton({ verb, all, disabled, onAnswerAll }: AllButtonProps) {
  if (!all) return null;
  return (
    <button
      type="button"
      class="button"
      disabled={disabled}
      title={`${verb} each of these ${all.length} requests once`}
      onClick={() => onAnswerAll(all)}
    >
      {allLabel(verb, all)}
    </button>
  );
}

function allLabel(verb: 'Allow' | 'Deny', all: readonly ApprovalAnswer[]): string {
  return `${verb} All ${all.length}`;
}

/** The agent's own label is the tooltip, together with the keys. */
function plainAnswerProps(
  option: ApprovalOption | undefined,
  chord: string,
  digit: string,
  onAnswer: (option: ApprovalOption) => void,
): { title?: string; keyShortcuts?: string; onClick?: () => void } {
  if (!option) return {};
  const title = `${showHiddenCharacters(option.label)} (${chord})`;
  return { title, keyShortcuts: digit, onClick: () => onAnswer(option) };
}

/** Shows the icon of an answer, or its key while the card has the focus. */
function AnswerName({ name, icon: Picture, digit }: { name: string; icon: Icon; digit: string }) {
  return (
    <>
      <span class="answer-sign" aria-hidden="true">
        <Picture />
        <kbd>{digit}</kbd>
      </span>
      {name}
    </>
  );
}

function AnswerMenuRow({ option, decider }: { option: ApprovalOption; decider: 'agent' | 'server' }) {
  const scope = option.scope ?? (isLastingAnswer(option) ? `The ${decider} decides what counts as similar` : undefined);
  const details: ComponentChildren[] = [];
  if (option.isMisnamed) details.push(misleadingLabelNotes[option.kind]);
  if (scope !== undefined) details.push(<UntrustedText text={scope} />);
  return (
    <span class="answer-item">
      <span class="answer-line">
        {option.isMisnamed && (
          <span class="answer-mark">
            <WarningIcon />
          </span>
        )}
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
