import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import { DiffFacts } from '../../../transcript/browser/parts/diffView';
import { splitPath } from '../../../transcript/browser/parts/pathButton';
import type { DiffPart } from '../../../transcript/common/entries';
import { shortenPath, shortenPathsInText } from '../../../transcript/common/shortPath';
import { spokenChordLabel } from '../../../webview/browser/platformKeys';
import { answersToAll, answerTo, groupAnswers, type AnswerGroups } from '../../common/approvals/approvalAnswers';
import { describeParts, approvalTitle, spokenTitle } from '../../common/approvals/approvalWords';
import type { ApprovalAnswer } from '../../common/chatPorts';
import { chatRequests } from '../../common/page/chatApi';
import type { ApprovalOption, ApprovalView, ConversationView, Draft } from '../../common/chatView';
import { ApprovalAnswerRow } from './approvalAnswerRow';
import { ApprovalDetails } from './approvalDetails';
import { usePage, usePageState } from '../chatPageContext';
import { useAnswerCountdown, type Countdown } from './useApprovalGuard';
import { usePageCommand } from '../usePageCommand';
import { formatLongDuration, formatCountdown } from '../chatLabels';

interface ApprovalCardProps {
  readonly session: ConversationView;
  readonly approval: ApprovalView;
  /** All approvals of the conversation, in the order in which they are shown. */
  readonly ordered: readonly ApprovalView[];
  /** Whether the approval was visible long enough for the user to answer it deliberately. */
  readonly isDeliberate: () => boolean;
}

export function ApprovalCard({ session, approval, ordered, isDeliberate }: ApprovalCardProps) {
  const page = usePage();
  const { backends, folders } = usePageState();
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const countdown = useAnswerCountdown(approval.expiresInMs);
  const [isUnfolded, setUnfolded] = useState(false);
  const [isSent, setSent] = useState(false);
  /** Prevents a second click before the next render. */
  const isBlocked = useRef(false);
  const isAnswering = isSent || approval.state === 'answering';
  const sessionId = session.id;
  const key = `${sessionId} ${approval.id}`;
  const answers = groupAnswers(approval.options);
  const isServer = backends.find(({ id }) => id === session.backendId)?.source === 'server';

  const send = async (request: () => Promise<unknown>, onSent?: () => void): Promise<void> => {
    if (isAnswering || isBlocked.current || !isDeliberate()) return;
    isBlocked.current = true;
    setSent(true);
    if ((await request()) !== undefined) {
      onSent?.();
      return;
    }
    isBlocked.current = false;
    setSent(false);
  };
  const answer = ({ label }: ApprovalOption, reason?: Draft): void =>
    void send(
      () => page.request(chatRequests.approve, { sessionId, ...answerTo(approval, label), reason }),
      () => reason && page.composerDraft.clearUsed(reason),
    );
  const answerAll = (all: readonly ApprovalAnswer[]): void =>
    void send(async () => {
      const results = await Promise.all(all.map((one) => page.request(chatRequests.approve, { sessionId, ...one })));
      return results.includes(undefined) ? undefined : results;
    });
  const stop = (): void => void send(() => page.request(chatRequests.stop, { sessionId }));
  const allow = (): void => (answers.allow.primary ? answer(answers.allow.primary) : card.current?.focus());
  const deny = (): void => {
    if (answers.deny.primary) answer(answers.deny.primary);
    else if (answers.deny.all.length === 0) stop();
    else card.current?.focus();
  };
  usePageCommand('allow', allow);
  usePageCommand('deny', deny);
  const { denyWithReason } = answers;
  usePageCommand('denyWithReason', () => {
    // Another approval may have come in place of the one that the reason was written for.
    const isForThis = page.composerDraft.begunText.begunFor === key;
    if (denyWithReason && isForThis) answer(denyWithReason, page.composerDraft.draft);
  });
  const takesReason = denyWithReason !== undefined;
  useLayoutEffect(() => {
    page.store.update({ reasonTarget: takesReason ? { key, isAnswering } : undefined });
    return () => page.store.update({ reasonTarget: undefined });
  }, [page, key, takesReason, isAnswering]);

  const onKeyDown = (event: KeyboardEvent): void => {
    // Otherwise, a repeated key would also activate the first item of the menu that it has opened.
    if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault();
    if (event.repeat || event.altKey || event.ctrlKey || event.metaKey || handlesOwnKeys(event.target)) return;
    if (event.key !== '1' && event.key !== '2') return;
    event.preventDefault();
    if (event.key === '1') allow();
    else deny();
  };

  const title = shortenPathsInText(approvalTitle(approval), folders);
  const edit = onlyEditOf(approval, title, folders);
  const { prompt, title: ownTitle } = approval;
  const whole = shortenPathsInText(ownTitle === undefined ? prompt : `${ownTitle}\n${prompt}`, folders);
  return (
    <section
      ref={card}
      class="approval"
      role="group"
      tabIndex={-1}
      aria-labelledby={titleId}
      aria-keyshortcuts="Alt+A"
      aria-busy={isAnswering}
      onKeyDown={onKeyDown}
    >
      <div class="approval-head">
        <p class="approval-who">
          <bdi class="approval-agent one-line" title={showHiddenCharacters(approval.asks)}>
            <UntrustedText text={approval.asks} />
          </bdi>
          {approval.subagent !== undefined && (
            <bdi class="approval-subagent one-line" title={`Subagent: ${showHiddenCharacters(approval.subagent)}`}>
              <UntrustedText text={approval.subagent} />
            </bdi>
          )}
          {approval.mode !== undefined && (
            <bdi class="approval-mode one-line" title={`Mode: ${showHiddenCharacters(approval.mode)}`}>
              <UntrustedText text={approval.mode} />
            </bdi>
          )}
          {isAnswering ? <span>Answering…</span> : countdown && <ExpiryCountdown countdown={countdown} />}
        </p>
        <h2 id={titleId} class={isUnfolded ? 'is-unfolded' : ''}>
          <button
            type="button"
            class="approval-title one-line"
            dir="auto"
            title={showHiddenCharacters(approval.prompt)}
            aria-expanded={isUnfolded}
            onClick={() => setUnfolded(!isUnfolded)}
          >
            {edit && !isUnfolded ? (
              <EditTitle path={shortenPath(edit.path, folders)} />
            ) : (
              <UntrustedText text={isUnfolded ? whole : title} />
            )}
          </button>
        </h2>
        {edit && (
          <DiffFacts
            part={edit}
            onOpen={() =>
              void page.request(chatRequests.openApprovalDiff, { sessionId, approvalId: approval.id, part: 0 })
            }
          />
        )}
      </div>
      <ApprovalDetails
        sessionId={sessionId}
        approval={approval}
        requesterKind={isServer ? 'server' : 'agent'}
        isHeadless={edit !== undefined}
      />
      <ApprovalAnswerRow
        answers={answers}
        allowAll={answersToAll(ordered, 'allow')}
        denyAll={answersToAll(ordered, 'deny')}
        requester={approval.asks}
        decider={isServer ? 'server' : 'agent'}
        disabled={isAnswering}
        onAnswer={answer}
        onAnswerAll={answerAll}
        onStop={stop}
        onReason={() => page.runCommand('focusComposer')}
      />
      <ApprovalAnnouncement
        approval={approval}
        spoken={shortenPathsInText(spokenTitle(approval), folders)}
        countdown={countdown}
        answers={answers}
      />
    </section>
  );
}

/** The diff that the title already names. Undefined if anything in the title is not the path of the only diff. */
function onlyEditOf({ parts }: ApprovalView, title: string, folders: readonly string[]): DiffPart | undefined {
  const [only, ...others] = parts;
  if (only?.type !== 'diff' || others.length > 0) return undefined;
  return title === `Edit ${shortenPath(only.path, folders)}` ? only : undefined;
}

/** Shows the name of the file before its folder, as everywhere, because there is little space. */
function EditTitle({ path }: { path: string }) {
  const { name, folder } = splitPath(path);
  return (
    <>
      Edit <UntrustedText text={name} />
      {folder !== '' && (
        <span class="path-folder">
          {' '}
          <UntrustedText text={folder} />
        </span>
      )}
    </>
  );
}

/** Whether the target handles digits or other keys itself. */
function handlesOwnKeys(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=menu]') !== null;
}

/** Shows the remaining time. Hidden from screen readers, because they would announce it every second. */
function ExpiryCountdown({ countdown: { remainingMs, isEndingSoon } }: { countdown: Countdown }) {
  return (
    <span
      class={`approval-expiry ${isEndingSoon ? 'is-short' : ''}`}
      title="Denied automatically when the time is up"
      aria-hidden="true"
    >
      {remainingMs > 0 ? (
        <>
          <span class="approval-expiry-words">Auto-denied in </span>
          {formatCountdown(remainingMs)}
        </>
      ) : (
        'Time is up. Your answer may be too late.'
      )}
    </span>
  );
}

interface AnnouncementProps {
  readonly approval: ApprovalView;
  /** The title as it is read out. */
  readonly spoken: string;
  readonly countdown: Countdown | undefined;
  readonly answers: AnswerGroups;
}

/** Announces the approval to screen readers: when it appears, shortly before it expires, and when it has expired. */
function ApprovalAnnouncement({ approval, spoken, countdown, answers: { allow, deny } }: AnnouncementProps) {
  const [startMs] = useState(countdown?.remainingMs);
  const { asks, env = [], escalations = [], parts, subagent, warnings = [] } = approval;
  const risks = [
    ...warnings,
    ...escalations.map(({ name }) => name),
    ...env.flatMap(({ effect, name }) => (effect ? name : [])),
  ];
  const sentences = [
    `Request from ${asks}: ${spoken}`,
    describeParts(parts),
    subagent === undefined ? undefined : `Asked by the subagent “${subagent}”`,
    risks.length === 0 ? undefined : `Warning: ${risks.map((risk) => risk.replace(/\.$/, '')).join('; ')}`,
    startMs === undefined ? undefined : `Auto-denied in ${formatLongDuration(startMs)}`,
    [
      allow.primary ? `${spokenChordLabel('K', 'Y')} to allow once` : `${spokenChordLabel('K', 'Q')} for the answers`,
      ...(deny.primary || deny.all.length === 0 ? [`${spokenChordLabel('K', 'N')} to deny`] : []),
    ].join(', '),
  ];
  let text = sentences
    .flatMap((sentence) => sentence ?? [])
    .map(withPeriod)
    .join(' ');
  if (countdown && countdown.remainingMs <= 0) text = 'Time is up.';
  else if (countdown?.isEndingSoon) text = 'Auto-denied in 10 seconds.';
  return (
    <p class="visually-hidden" role="alert">
      {showHiddenCharacters(text)}
    </p>
  );
}

function withPeriod(sentence: string): string {
  return /[.?!…]$/.test(sentence) ? sentence : `${sentence}.`;
}
