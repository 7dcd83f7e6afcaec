import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { TranscriptHandle } from '../../transcript/browser/list/transcriptList';
import { useThreadPage } from './threadPageContext';
import type { ThreadPage } from './threadPage';

const highlightMs = 1_600;
/** Maximum number of frames to wait until a new entry is rendered. */
const maxFrames = 60;

/** Scrolls to requested entries and highlights them briefly. */
export function useJumpTargets(root: RefObject<HTMLElement | null>, handle: RefObject<TranscriptHandle | null>): void {
  const page = useThreadPage();
  // A layout effect, because the host may request a jump as soon as the page is ready.
  useLayoutEffect(() => {
    let frame: number | undefined;
    const jump = (entryId: string, framesLeft: number): void => {
      const visibleId = nearestVisible(page, entryId, (id) => handle.current?.scrollToEntry(id) ?? false);
      const element =
        visibleId === undefined
          ? null
          : root.current?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(visibleId)}"]`);
      if (!element) {
        if (framesLeft > 0) frame = requestAnimationFrame(() => jump(entryId, framesLeft - 1));
        return;
      }
      element.dataset['goal'] = '';
      setTimeout(() => delete element.dataset['goal'], highlightMs);
      if (element.tabIndex >= -1 && element.hasAttribute('tabindex')) element.focus({ preventScroll: true });
    };
    const subscription = page.onDidRequestJump((entryId) => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => jump(entryId, maxFrames));
    });
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      subscription.dispose();
    };
  }, [page, root, handle]);
}

/** Returns the entry, or the nearest visible call that contains it, if it is in a collapsed call. */
function nearestVisible(page: ThreadPage, entryId: string, isVisible: (id: string) => boolean): string | undefined {
  const seen = new Set<string>();
  for (let id: string | undefined = entryId; id !== undefined && !seen.has(id); id = page.transcript.get(id)?.parent) {
    if (isVisible(id)) return id;
    seen.add(id);
  }
  return undefined;
}
