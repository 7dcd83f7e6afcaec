import { useId, useMemo, useRef, useState } from 'preact/hooks';
import type { TranscriptActions } from '../../transcript/browser/transcriptActions';
import { ShowAllContext, WholeContext } from '../../transcript/browser/showAll';
import { TranscriptContext } from '../../transcript/browser/transcriptContext';
import type { Part } from '../../transcript/common/entries';
import { CheckIcon, CloseIcon, ShieldIcon, WarningIcon } from '../../webview/browser/icons';
import { chatRequests } from '../common/chatApi';
import type { ApprovalView } from '../common/chatView';
import { ApprovalPart } from './approvalPart';
import { whatIsMissing } from './approvalMissing';
import type { ChatPage } from './chatPage';
import { usePage, usePageState } from './pageContext';
import { transcriptActions } from './transcriptActions';
import { useApprovalGuard, useCountdown, type Countdown } from './useApprovalGuard';
import { durationInWords, timeLeft } from './words';
import { namingHiddenCharacters } from '../../transcript/browser/markdown/hiddenCharacters';
import { PlainText } from '../../transcript/browser/plainText';
import { withShortPaths } from '../../transcript/common/shortPath';

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
  const countdown = useCountdown(approval.expiresInMs);
  const [isSent, setSent] = useState(false);
  /** Holds between two clicks, also before the page is drawn again. */
  const isTaken = useRef(false);
  const isAnswering = isSent || approval.state === 'answering';

  const answer = async ({ label }: Option): Promise<void> => {
    if (isAnswering || isTaken.current || !isMeant()) return;
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

  const [whole, setWhole] = useState<readonly Part[]>();
  const showWhole = async (): Promise<void> => {
    const answer = await page.ask(chatRequests.showApproval, { sessionId, approvalId: approval.id });
    if (!answer) throw new Error('The question is no longer open');
    setWhole(answer.parts);
  };
  const parts = whole ?? approval.parts;
  const missing = whatIsMissing(parts);

  const { folders } = usePageState();
  const prompt = withShortPaths(approval.prompt, folders);
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
        <h2 id={titleId} dir="auto">
          <PlainText text={prompt} />
        </h2>
      </div>
      <p class="approval-who" title="Alt+A goes to this question; the number keys answer it">
        <bdi>
          <PlainText text={approval.asks} />
        </bdi>
        {approval.mode !== undefined && (
          <bdi class="approval-mode">
            <PlainText text={approval.mode} />
          </bdi>
        )}
      </p>
      <div class="approval-parts">
        <TranscriptContext.Provider value={surroundings}>
          <WholeContext.Provider value={true}>
            <ShowAllContext.Provider value={showWhole}>
              {parts.map((part, index) => (
                <ApprovalPart key={index} part={part} index={index} approvalId={approval.id} />
              ))}
            </ShowAllContext.Provider>
          </WholeContext.Provider>
        </TranscriptContext.Provider>
      </div>
      {missing !== undefined && (
        <p class="approval-missing">
          <WarningIcon />
          {missing}
        </p>
      )}
      <ul class="approval-options">
        {approval.options.map((option, index) => (
          <li key={option.label}>
            <button
              type="button"
              class={`button ${option === primary ? 'is-primary' : ''}`}
              disabled={isAnswering}
              aria-keyshortcuts={index < 9 ? String(index + 1) : undefined}
              onClick={() => void answer(option)}
            >
              <OptionIcon kind={option.kind} />
              <bdi>
                <PlainText text={option.label} />
              </bdi>
              {index < 9 && <kbd aria-hidden="true">{index + 1}</kbd>}
            </button>
            {option.matches !== undefined && (
              <p class="approval-matches">
                From now on:{' '}
                <code dir="ltr">
                  <PlainText text={option.matches} />
                </code>
              </p>
            )}
          </li>
        ))}
      </ul>
      <p class="approval-foot">
        {isAnswering ? 'Answering…' : countdown ? <Expiry countdown={countdown} /> : 'Alt+A to answer by keyboard'}
      </p>
      <Announcement asks={approval.asks} prompt={prompt} countdown={countdown} />
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

/** Hidden from screen readers, which would read it every second. */
function Expiry({ countdown: { leftMs, isShort } }: { countdown: Countdown }) {
  return (
    <span class={isShort ? 'is-short' : ''} aria-hidden="true">
      {leftMs > 0 ? `Auto-denied in ${timeLeft(leftMs)}` : 'Time is up. Your answer may be too late.'}
    </span>
  );
}

interface AnnouncementProps {
  readonly asks: string;
  readonly prompt: string;
  readonly countdown: Countdown | undefined;
}

/** For screen readers: once when it appears, once shortly before it expires, and when the time is up. */
function Announcement({ asks, prompt, countdown }: AnnouncementProps) {
  const [startMs] = useState(countdown?.leftMs);
  const until = startMs === undefined ? '' : ` Auto-denied in ${durationInWords(startMs)}.`;
  const first = `${asks} asks: ${prompt}.${until} Alt+A goes to the question.`;
  let text = first;
  if (countdown && countdown.leftMs <= 0) text = 'Time is up.';
  else if (countdown?.isShort) text = 'Auto-denied in 10 seconds.';
  return (
    <p class="visually-hidden" role="alert">
      {namingHiddenCharacters(text)}
    </p>
  );
}
