import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as z from 'zod/mini';
import { IconButton } from '../../../webview/browser/iconButton';
import { ChevronLeftIcon, ChevronRightIcon } from '../../../webview/browser/icons';
import { orderApprovals, approvalToShow } from '../../common/approvals/approvalOrder';
import { ApprovalCard } from './approvalCard';
import { usePage, usePageState } from '../chatPageContext';
import { useAccidentalAnswerGuard } from './useApprovalGuard';
import { usePageCommand } from '../usePageCommand';

/** The visible approval, kept across reloads. Approval ids are unique only within a session. */
const SavedApproval = z.object({ sessionId: z.string(), id: z.string(), asks: z.string() });
type SavedApproval = z.infer<typeof SavedApproval>;

/** Shows the pending approvals of the conversation, one at a time. Never takes the focus without a user action. */
export function ApprovalArea() {
  const page = usePage();
  const { session } = usePageState();
  const [saved, setSaved] = useState(() => SavedApproval.safeParse(page.savedState.values['question']).data);
  const inView = saved?.sessionId === session?.id ? saved : undefined;
  const ordered = orderApprovals(session?.approvals ?? []);
  const approval = approvalToShow(ordered, inView);
  const index = approval ? ordered.indexOf(approval) : -1;
  const area = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  const isDeliberate = useAccidentalAnswerGuard(
    `${session?.id ?? ''} ${[approval, ...ordered].map((one) => one?.id).join(' ')}`,
  );

  const saveApproval = (question: SavedApproval): void => {
    setSaved(question);
    page.savedState.save({ question });
  };
  useLayoutEffect(() => {
    if (session && approval && approval.id !== inView?.id) saveApproval(toSavedApproval(session.id, approval));
  }, [session?.id, approval?.id, inView?.id]);

  usePageCommand('focusApproval', () => focusCard(area.current));
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      // The code checks the position of the key, because Alt changes the character on some keyboards.
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== 'KeyA' || !area.current) return;
      event.preventDefault();
      focusCard(area.current);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);

  // When an answer removes the focused approval, the next approval gets the focus, or else the composer.
  useLayoutEffect(() => {
    if (!hadFocus.current || document.activeElement !== document.body) return;
    hadFocus.current = false;
    // The focus may have moved to another part of VS Code.
    if (!document.hasFocus()) return;
    if (area.current) focusCard(area.current);
    else page.runCommand('focusComposer');
  }, [page, approval?.id]);

  if (!session || !approval) return null;
  const showNext = (offset: number): void => {
    const next = ordered[(index + offset + ordered.length) % ordered.length];
    if (next) saveApproval(toSavedApproval(session.id, next));
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
        ordered={ordered}
        isDeliberate={isDeliberate}
      />
      {ordered.length > 1 && (
        <div class="approvals-pager">
          <IconButton label="Previous Approval" icon={ChevronLeftIcon} onClick={() => showNext(-1)} />
          <span aria-live="polite">
            {index + 1} of {ordered.length}
          </span>
          <IconButton label="Next Approval" icon={ChevronRightIcon} onClick={() => showNext(1)} />
        </div>
      )}
    </div>
  );
}

function toSavedApproval(sessionId: string, { id, asks }: Pick<SavedApproval, 'id' | 'asks'>): SavedApproval {
  return { sessionId, id, asks };
}

function focusCard(area: HTMLElement | null): void {
  area?.querySelector<HTMLElement>('.approval')?.focus();
}
