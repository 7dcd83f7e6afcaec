import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCountWithNoun, formatCount, formatTextSize } from '../../../transcript/browser/parts/format';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import type { TranscriptActions } from '../../../transcript/browser/transcriptActions';
import { DrawnEntryContext, TranscriptContext } from '../../../transcript/browser/transcriptContext';
import type { Part } from '../../../transcript/common/entries';
import { shortenPath } from '../../../transcript/common/shortPath';
import { FolderIcon, WarningIcon } from '../../../webview/browser/icons';
import { chatRequests } from '../../common/page/chatApi';
import type { ApprovalView } from '../../common/chatView';
import { ApprovalPart } from './approvalPart';
import type { ChatPage } from '../page/chatPage';
import { usePage, usePageState } from '../chatPageContext';
import { createTranscriptActions } from '../chatTranscriptActions';

interface ApprovalEvidenceProps {
  readonly sessionId: string;
  readonly approval: ApprovalView;
  readonly requesterKind: 'agent' | 'server';
  /** Whether the title has the only file and the facts about its change. */
  readonly isHeadless: boolean;
}

/** Shows everything that would happen, in a scrollable box with the number of lines below the visible part. */
export function ApprovalDetails({ sessionId, approval, requesterKind, isHeadless }: ApprovalEvidenceProps) {
  const page = usePage();
  const { folders } = usePageState();
  const [whole, setWhole] = useState<readonly Part[]>();
  const showWhole = async (): Promise<void> => {
    const answer = await page.request(chatRequests.showApproval, { sessionId, approvalId: approval.id });
    if (!answer) throw new Error('This approval is no longer pending.');
    setWhole(answer.parts);
  };
  const parts = whole ?? approval.parts;
  const missing = omissionNotice(parts);
  const context = useMemo(
    () => ({
      model: page.transcript,
      actions: approvalActions(page),
      options: { folders },
      sectionChoices: new Map<string, boolean>(),
    }),
    [page, folders],
  );
  const scroll = useRef<HTMLDivElement>(null);
  const hidden = useHiddenLineCount(scroll);
  return (
    <>
      <div class="approval-evidence">
        <div ref={scroll} class="approval-scroll" tabIndex={0} role="group" aria-label="Requested action">
          <div class="approval-content">
            {approval.isUndescribed && (
              <p class="approval-fact is-warning">
                <WarningIcon />
                <span>The {requesterKind} doesn’t specify what will run.</span>
              </p>
            )}
            <ApprovalRisks approval={approval} />
            <TranscriptContext.Provider value={context}>
              <DrawnEntryContext.Provider value={{ id: approval.id, loadAll: showWhole, isShownWhole: true }}>
                {parts.map((part, index) => (
                  <ApprovalPart key={index} part={part} index={index} isHeadless={isHeadless} />
                ))}
              </DrawnEntryContext.Provider>
            </TranscriptContext.Provider>
            <ApprovalFacts approval={approval} folders={folders} />
          </div>
        </div>
        {hidden > 0 && (
          <button
            type="button"
            class="approval-rest"
            tabIndex={-1}
            aria-hidden="true"
            onClick={() => scroll.current?.scrollBy({ top: scroll.current.clientHeight - 20 })}
          >
            {formatCountWithNoun(hidden, 'more line')}
          </button>
        )}
      </div>
      {missing !== undefined && (
        <p class="approval-missing" title={missing}>
          <WarningIcon />
          {missing}
        </p>
      )}
    </>
  );
}

/** Shows the risks. They come first, because they change the meaning of the rest. */
function ApprovalRisks({ approval: { env = [], escalations = [], warnings = [] } }: { approval: ApprovalView }) {
  const variables = env.flatMap(({ effect, name, value }) => (effect === undefined ? [] : { effect, name, value }));
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} class="approval-fact is-warning">
          <WarningIcon />
          <span dir="auto">
            <UntrustedText text={warning} />
          </span>
        </p>
      ))}
      {escalations.map(({ name, value }) => (
        <p key={`${name}=${value}`} class="approval-fact is-warning">
          <WarningIcon />
          <span>
            <Code text={`${name}: ${value}`} /> lifts a restriction
          </span>
        </p>
      ))}
      {variables.map(({ effect, name, value }) => (
        <p key={`${name}=${value}`} class="approval-fact is-warning">
          <WarningIcon />
          <span>
            <Code text={`${name}=${value}`} /> {effect}
          </span>
        </p>
      ))}
    </>
  );
}

function ApprovalFacts({ approval, folders }: { approval: ApprovalView; folders: readonly string[] }) {
  const { cwd, env = [], more = [], parts } = approval;
  const variables = env.filter(({ effect }) => effect === undefined);
  return (
    <>
      {cwd !== undefined && (
        <p class="approval-fact" title="Working folder">
          <FolderIcon />
          <span>
            <span class="visually-hidden">In </span>
            <Code text={shortenPath(cwd, folders)} />
          </span>
        </p>
      )}
      {variables.map(({ name, value }) => (
        <p key={`${name}=${value}`} class="approval-fact is-plain">
          <Code text={`${name}=${value}`} />
        </p>
      ))}
      {more.length > 0 && (
        <details class="approval-more" open={parts.length === 0}>
          <summary>More ({more.length})</summary>
          <dl>
            {more.map(({ name, value }, index) => (
              <div key={index}>
                <dt dir="ltr">
                  <UntrustedText text={name} />
                </dt>
                <dd dir="ltr">
                  <UntrustedText text={value} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

function Code({ text }: { text: string }) {
  return (
    <code dir="ltr">
      <UntrustedText text={text} />
    </code>
  );
}

function useHiddenLineCount(box: { readonly current: HTMLElement | null }): number {
  const [hidden, setHidden] = useState(0);
  useLayoutEffect(() => {
    const scroll = box.current;
    const content = scroll?.firstElementChild;
    if (!scroll || !content) return undefined;
    const measure = (): void => {
      const text = scroll.querySelector('pre, .diff-lines') ?? scroll;
      const row = Number.parseFloat(getComputedStyle(text).lineHeight) || fallbackLinePx;
      const below = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight;
      setHidden(Math.max(0, Math.round(below / row)));
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(scroll);
    sizes.observe(content);
    scroll.addEventListener('scroll', measure);
    return () => {
      sizes.disconnect();
      scroll.removeEventListener('scroll', measure);
    };
  }, [box]);
  return hidden;
}

const fallbackLinePx = 18;

/** The same actions as in the transcript, but for diffs of the approval. */
function approvalActions(page: ChatPage): TranscriptActions {
  return {
    ...createTranscriptActions(page),
    openDiff: (approvalId, part) =>
      void page.requestForSession(chatRequests.openApprovalDiff, (sessionId) => ({ sessionId, approvalId, part })),
  };
}

/** Returns a notice if some content is not shown, so that users do not allow it without knowing. */
function omissionNotice(parts: readonly Part[]): string | undefined {
  for (const part of parts) {
    const omitted = 'omitted' in part ? (part.omitted ?? 0) : 0;
    if (omitted === 0) continue;
    if (part.type !== 'diff') return `${formatTextSize(omitted)} not shown here.`;
    const shown = part.hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind !== 'context').length;
    if (shown === part.added + part.removed) return 'Long lines are truncated. Open the diff to see them in full.';
    return `${formatCount(shown)} of ${formatCount(part.added + part.removed)} changed lines are shown. Open the diff to see all of them.`;
  }
  return undefined;
}
