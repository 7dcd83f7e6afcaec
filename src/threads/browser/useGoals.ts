import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { TranscriptHandle } from '../../transcript/browser/list/transcriptList';
import { usePage } from './threadPageContext';
import type { ThreadPage } from './threadPage';

const shownMs = 1_600;
/** How often it is looked for what has just come: it is drawn in the next frame, or later when the page is busy. */
const maxFrames = 60;

/** Scrolls to the entries that are asked for, and shows for a moment which it is. */
export function useGoals(root: RefObject<HTMLElement | null>, handle: RefObject<TranscriptHandle | null>): void {
  const page = usePage();
  // The host may ask as soon as the page is there.
  useLayoutEffect(() => {
    let frame: number | undefined;
    const reach = (entryId: string, framesLeft: number): void => {
      const shown = nearestShown(page, entryId, (id) => handle.current?.scrollToEntry(id) ?? false);
      const element =
        shown === undefined ? null : root.current?.querySelector<HTMLElement>(`[data-entry="${CSS.escape(shown)}"]`);
      if (!element) {
        if (framesLeft > 0) frame = requestAnimationFrame(() => reach(entryId, framesLeft - 1));
        return;
      }
      element.dataset['goal'] = '';
      setTimeout(() => delete element.dataset['goal'], shownMs);
      if (element.tabIndex >= -1 && element.hasAttribute('tabindex')) element.focus({ preventScroll: true });
    };
    const subscription = page.onDidReach((entryId) => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => reach(entryId, maxFrames));
    });
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      subscription.dispose();
    };
  }, [page, root, handle]);
}

/** A step of a call that is closed is not drawn: then the call is what there is to see. */
function nearestShown(page: ThreadPage, entryId: string, isShown: (id: string) => boolean): string | undefined {
  const seen = new Set<string>();
  for (let id: string | undefined = entryId; id !== undefined && !seen.has(id); id = page.transcript.get(id)?.parent) {
    if (isShown(id)) return id;
    seen.add(id);
  }
  return undefined;
}
