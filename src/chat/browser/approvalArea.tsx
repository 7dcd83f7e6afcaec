import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../webview/browser/iconButton';
import { ChevronLeftIcon, ChevronRightIcon } from '../../webview/browser/icons';
import { ApprovalCard } from './approvalCard';
import { usePage, usePageState } from './pageContext';
import { useWish } from './useWish';

/** The open questions of the conversation, one at a time, always in sight. Never takes the focus by itself. */
export function ApprovalArea() {
  const page = usePage();
  const { session } = usePageState();
  const approvals = session?.approvals ?? [];
  const [shownId, setShownId] = useState<string>();
  const index = Math.max(
    approvals.findIndex(({ id }) => id === shownId),
    0,
  );
  const approval = approvals[index];
  const area = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);

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
    setShownId(approvals[(index + offset + approvals.length) % approvals.length]?.id);
  };
  return (
    <div
      ref={area}
      class="approvals"
      onFocusCapture={() => (hadFocus.current = true)}
      onBlurCapture={({ relatedTarget }) => {
        if (relatedTarget !== null) hadFocus.current = false;
      }}
    >
      {approvals.length > 1 && (
        <div class="approvals-pager">
          <IconButton label="Previous question" icon={ChevronLeftIcon} onClick={() => show(-1)} />
          <span aria-live="polite">
            {index + 1} of {approvals.length}
          </span>
          <IconButton label="Next question" icon={ChevronRightIcon} onClick={() => show(1)} />
        </div>
      )}
      <ApprovalCard key={`${session.id} ${approval.id}`} sessionId={session.id} approval={approval} />
    </div>
  );
}

function focusCard(area: HTMLElement | null): void {
  area?.querySelector<HTMLElement>('.approval')?.focus();
}
