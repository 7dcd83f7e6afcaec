import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as z from 'zod/mini';
import { IconButton } from '../../webview/browser/iconButton';
import { ChevronLeftIcon, ChevronRightIcon } from '../../webview/browser/icons';
import { inOrder, shownQuestion } from '../common/approvalOrder';
import { ApprovalCard } from './approvalCard';
import { usePage, usePageState } from './pageContext';
import { useApprovalGuard } from './useApprovalGuard';
import { useWish } from './useWish';

/** Kept over a reload: which question was in view, and what was written about it. Other conversations have the same ids. */
const Kept = z.object({
  question: z.object({ sessionId: z.string(), id: z.string(), asks: z.string(), reason: z.optional(z.string()) }),
});
type KeptQuestion = z.infer<typeof Kept>['question'];

/** The open questions of the conversation, one at a time, always in sight. Never takes the focus by itself. */
export function ApprovalArea() {
  const page = usePage();
  const { session } = usePageState();
  const [kept, setKept] = useState<KeptQuestion | undefined>(() => Kept.safeParse(page.memory.all).data?.question);
  const inView = kept?.sessionId === session?.id ? kept : undefined;
  const ordered = inOrder(session?.approvals ?? []);
  const approval = shownQuestion(ordered, inView);
  const index = approval ? ordered.indexOf(approval) : -1;
  const area = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  const isMeant = useApprovalGuard(`${session?.id ?? ''} ${approval?.id ?? ''} ${ordered.length}`);

  const keep = (question: KeptQuestion): void => {
    setKept(question);
    page.memory.keep({ question });
  };
  useLayoutEffect(() => {
    if (!session) return;
    if (approval && approval.id !== inView?.id) keep(questionOf(session.id, approval));
    // It is gone: an agent that starts again gives its id to another question.
    else if (!approval && inView?.reason !== undefined) keep(questionOf(session.id, inView));
  }, [session?.id, approval?.id, inView?.id]);

  useWish('focusApproval', () => focusCard(area.current));
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      // By its place: with Alt the key types a letter of its own on some keyboards.
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== 'KeyA' || !area.current) return;
      event.preventDefault();
      focusCard(area.current);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);

  // An answered question is gone with the focus that was in it: the next one has it, else the composer.
  useLayoutEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    hadFocus.current = false;
    // The user may be in the editor or the palette by now.
    if (!document.hasFocus()) return;
    if (area.current) focusCard(area.current);
    else page.wish('focusComposer');
  }, [page, approval?.id]);

  if (!session || !approval) return null;
  const show = (offset: number): void => {
    const next = ordered[(index + offset + ordered.length) % ordered.length];
    if (next) keep(questionOf(session.id, next));
  };
  return (
    <div
      ref={area}
      class={`approvals ${ordered.length > 1 ? 'has-pager' : ''}`}
      onFocusCapture={() => (hadFocus.current = true)}
      onBlurCapture={({ relatedTarget }) => {
        if (relatedTarget !== null) hadFocus.current = false;
      }}
    >
      <ApprovalCard
        key={`${session.id} ${approval.id}`}
        session={session}
        approval={approval}
        isMeant={isMeant}
        reason={inView?.id === approval.id ? inView.reason : undefined}
        onReason={(reason) => keep(questionOf(session.id, approval, reason))}
        onReasonSent={() => {
          // It stays in sight until the question is gone, but not for a page that is loaded again.
          const inMemory = Kept.safeParse(page.memory.all).data?.question;
          const isSame = inMemory?.sessionId === session.id && inMemory.id === approval.id;
          if (isSame) page.memory.keep({ question: questionOf(session.id, approval) });
        }}
      />
      {ordered.length > 1 && (
        <div class="approvals-pager">
          <IconButton label="Previous question" icon={ChevronLeftIcon} onClick={() => show(-1)} />
          <span aria-live="polite">
            {index + 1} of {ordered.length}
          </span>
          <IconButton label="Next question" icon={ChevronRightIcon} onClick={() => show(1)} />
        </div>
      )}
    </div>
  );
}

function questionOf(sessionId: string, { id, asks }: Pick<KeptQuestion, 'id' | 'asks'>, reason?: string): KeptQuestion {
  return { sessionId, id, asks, ...(reason === undefined ? {} : { reason }) };
}

function focusCard(area: HTMLElement | null): void {
  area?.querySelector<HTMLElement>('.approval')?.focus();
}
