import { useEffect, useRef, useState } from 'preact/hooks';
import { countWithNoun } from '../../../../base/common/text/countWithNoun';
import { showHiddenCharacters } from '../../../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../../../../transcript/browser/parts/untrustedText';
import { useRedraw } from '../../../../transcript/browser/transcriptContext';
import { useHostTime } from '../../../../webview/browser/hostTime';
import { CheckIcon, CloseIcon } from '../../../../webview/browser/icons';
import type { ConversationNeed } from '../../../common/chatView';
import { conversationsRequests } from '../../../common/page/conversationsApi';
import { usePage } from '../conversationsPageContext';

/** The browser starts a longer timer at once. */
const maxTimerMs = 2 ** 31 - 1;

interface RowNeedProps {
  readonly rowId: string;
  readonly need: ConversationNeed | undefined;
  readonly tabIndex: number;
  /** Whether what is under the pointer was there long enough for an answer to be meant for it. */
  readonly isDeliberate: () => boolean;
}

/** Why a conversation waits, and the answers, if the whole request is in view. Else the request must be looked at. */
export function RowNeed({ rowId, need, tabIndex, isDeliberate }: RowNeedProps) {
  const page = usePage();
  const { answer, others = 0, text = 'Needs your input' } = need ?? {};
  const isTooLate = useHasCome(answer?.until);
  return (
    <div class="row-need">
      <p class="need-text" dir="ltr">
        <UntrustedText text={text} />
        {others > 0 && <span class="need-others">{` and ${countWithNoun(others, 'more request')}`}</span>}
      </p>
      {answer && !isTooLate ? (
        <Answers
          key={`${answer.approvalId} ${answer.shown}`}
          rowId={rowId}
          answer={answer}
          tabIndex={tabIndex}
          isDeliberate={isDeliberate}
        />
      ) : (
        <div class="need-answers">
          <button
            type="button"
            class="button"
            tabIndex={tabIndex}
            onClick={() => void page.requestFor([rowId], conversationsRequests.open, { sessionId: rowId })}
          >
            Show
          </button>
        </div>
      )}
    </div>
  );
}

/** Whether a time has come, by the host's clock. Undefined never comes. */
function useHasCome(at: number | undefined): boolean {
  const time = useHostTime();
  const redraw = useRedraw();
  const leftMs = at === undefined ? undefined : at - time.now();
  useEffect(() => {
    if (leftMs === undefined || leftMs <= 0) return undefined;
    const timer = window.setTimeout(redraw, Math.min(leftMs, maxTimerMs));
    return () => window.clearTimeout(timer);
  });
  return leftMs !== undefined && leftMs <= 0;
}

interface AnswersProps extends Pick<RowNeedProps, 'rowId' | 'tabIndex' | 'isDeliberate'> {
  readonly answer: NonNullable<ConversationNeed['answer']>;
}

/** The answers of one request: another request has buttons of its own, so that a click or a key is never meant for the one before. */
function Answers({ rowId, answer, tabIndex, isDeliberate }: AnswersProps) {
  const page = usePage();
  const [isSent, setSent] = useState(false);
  /** Prevents a second click before the next render. */
  const isBlocked = useRef(false);
  const { allow, approvalId, reject, shown } = answer;
  const send = async (option: string): Promise<void> => {
    if (isBlocked.current || !isDeliberate()) return;
    isBlocked.current = true;
    setSent(true);
    const params = { sessionId: rowId, approvalId, shown, option };
    const isAccepted = await page.requestFor([rowId], conversationsRequests.answer, params);
    // When it was accepted, the host says soon that it waits no longer.
    if (isAccepted) return;
    isBlocked.current = false;
    setSent(false);
  };
  const button = (label: string, option: string, isPrimary: boolean) => (
    <button
      type="button"
      class={`button ${isPrimary ? 'is-primary' : ''}`}
      title={showHiddenCharacters(option)}
      tabIndex={tabIndex}
      // It keeps the focus while it is disabled.
      aria-disabled={isSent}
      onClick={() => void send(option)}
    >
      {isPrimary ? <CheckIcon /> : <CloseIcon />}
      {label}
    </button>
  );
  return (
    <div class="need-answers">
      {button('Allow Once', allow, true)}
      {button('Deny', reject, false)}
    </div>
  );
}
