import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PageCommand } from './chatPage';
import { usePage } from './chatPageContext';

/** Calls the newest `grant` whenever another part of the page, or the host, wishes for it. */
export function useWish(wanted: PageCommand, grant: () => void): void {
  const page = usePage();
  const latest = useRef(grant);
  latest.current = grant;
  // The host may ask as soon as the page is there.
  useLayoutEffect(() => {
    const subscription = page.onDidWish((wish) => {
      if (wish === wanted) latest.current();
    });
    return () => subscription.dispose();
  }, [page, wanted]);
}
