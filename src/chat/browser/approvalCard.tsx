import { useId, useMemo, useRef, useState } from 'preact/hooks';
import type { TranscriptActions } from '../../transcript/browser/transcriptActions';
import { TranscriptContext } from '../../transcript/browser/transcriptContext';
import { CheckIcon, CloseIcon, ShieldIcon } from '../../webview/browser/icons';
import { chatRequests } from '../common/chatApi';
import type { ApprovalView } from '../common/chatView';
import { ApprovalPart } from './approvalPart';
import type { ChatPage } from './chatPage';
import { usePage, usePageState } from './pageContext';
import { transcriptActions } from './transcriptActions';
import { useApprovalGuard, useCountdown, type Countdown } from './useApprovalGuard';
import { durationInWords } from './words';

type Option = ApprovalView['options'][number];

interface ApprovalCardProps {
  readonly sessionId: string;
  readonly approval: ApprovalView;
}

/** One question: who asks, what would happen, and all answers there are. */
export function ApprovalCard({ sessionId, approval }: ApprovalCardProps) {
  const page = usePage();
  const titleId = useId();
  const isMeant = useApprovalGuard(approval.id);
  const countdown = useCountdown(approval.expiresAt);
  const [isSent, setSent] = useState(false);
  /** Holds between two clicks, also before the page is drawn again. */
  const isTaken = useRef(false);
  const isAnswering = isSent || approval.state === 'answering';
  const isExpired = countdown !== undefined && countdown.leftMs <= 0;
  const isOpen = !isAnswering && !isExpired;

  const answer = async ({ label }: Option): Promise<void> => {
    if (!isOpen || isTaken.current || !isMeant()) return;
    isTaken.current = true;
    setSent(true);
    const taken = await page.ask(chatRequests.approve, { sessionId, approvalId: approval.id, option: label });
    if (taken) return;
    isTaken.current = false;
    setSent(false);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.repeat || event.altKey || event.ctrlKey || event.metaKey || !/^[1-9]$/.test(event.key)) return;
    const option = approval.options[Number(event.key) - 1];
    if (!option) return;
    event.preventDefault();
    void answer(option);
  };

  const { folders } = usePageState();
  const surroundings = useMemo(
    () => ({ model: page.transcript, actions: actionsOf(page), options: { folders } }),
    [page, folders],
  );
  const primary = approval.options.find(({ kind }) => kind === 'allow_once' || kind === 'allow_always');
  return (
    <section
      class="approval"
      role="group"
      tabIndex={-1}
      aria-labelledby={titleId}
      aria-keyshortcuts="Alt+A"
      aria-busy={isAnswering}
      onKeyDown={onKeyDown}
    >
      <div class="approval-head">
        <ShieldIcon />
        <h2 id={titleId}>{approval.prompt}</h2>
      </div>
      <p class="approval-who" title="Alt+A goes to this question; the number keys answer it">
        {approval.asks}
        {approval.mode !== undefined && <span class="approval-mode">{approval.mode}</span>}
      </p>
      <div class="approval-parts">
        <TranscriptContext.Provider value={surroundings}>
          {approval.parts.map((part, index) => (
            <ApprovalPart key={index} part={part} index={index} approvalId={approval.id} />
          ))}
        </TranscriptContext.Provider>
      </div>
      <ul class="approval-options">
        {approval.options.map((option, index) => (
          <li key={option.label}>
            <button
              type="button"
              class={`button ${option === primary ? 'is-primary' : ''}`}
              disabled={!isOpen}
              aria-keyshortcuts={index < 9 ? String(index + 1) : undefined}
              onClick={() => void answer(option)}
            >
              <OptionIcon kind={option.kind} />
              <span>{option.label}</span>
              {index < 9 && <kbd aria-hidden="true">{index + 1}</kbd>}
            </button>
            {option.matches !== undefined && (
              <p class="approval-matches">
                From now on: <code>{option.matches}</code>
              </p>
            )}
          </li>
        ))}
      </ul>
      <p class="approval-foot">
        {isAnswering ? 'Answering…' : countdown ? <Expiry countdown={countdown} /> : 'Alt+A to answer by keyboard'}
      </p>
      <Announcement approval={approval} countdown={countdown} />
    </section>
  );
}

/** As in the transcript, but for the diffs, which are the question's own. */
function actionsOf(page: ChatPage): TranscriptActions {
  return {
    ...transcriptActions(page),
    openDiff: (approvalId, part) =>
      void page.askHere(chatRequests.openApprovalDiff, (sessionId) => ({ sessionId, approvalId, part })),
  };
}

function OptionIcon({ kind }: { kind: Option['kind'] }) {
  switch (kind) {
    case 'allow_once':
    case 'allow_always':
      return <CheckIcon />;
    case 'reject_once':
    case 'reject_always':
      return <CloseIcon />;
    case 'other':
      return null;
  }
}

/** For the eyes: a reader that spoke every second would say nothing else. */
function Expiry({ countdown: { leftMs, isShort } }: { countdown: Countdown }) {
  if (leftMs <= 0) return <>Expired: it counts as a no.</>;
  return (
    <span class={isShort ? 'is-short' : ''} aria-hidden="true">
      Counts as a no in {durationInWords(leftMs)}
    </span>
  );
}

/** For the ears: once when it appears, once shortly before it expires, and when it has. */
function Announcement({ approval, countdown }: { approval: ApprovalView; countdown: Countdown | undefined }) {
  const [startMs] = useState(countdown?.leftMs);
  const until = startMs === undefined ? '' : ` It counts as a no in ${durationInWords(startMs)}.`;
  const first = `${approval.asks} asks: ${approval.prompt}.${until} Alt+A goes to the question.`;
  let text = first;
  if (countdown && countdown.leftMs <= 0) text = 'The question has expired.';
  else if (countdown?.isShort) text = 'The question expires in 10 seconds.';
  return (
    <p class="visually-hidden" role="alert">
      {text}
    </p>
  );
}
