import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PageCommand } from './chatPage';
import { usePage } from './chatPageContext';

/** Calls the newest `run` whenever another part of the page, or the host, runs that command. */
export function usePageCommand(command: PageCommand, run: () => void): void {
  const page = usePage();
  const latest = useRef(run);
  latest.current = run;
  // The host may ask as soon as the page is there.
  useLayoutEffect(() => {
    const subscription = page.onDidRunCommand((other) => {
      if (other === command) latest.current();
    });
    return () => subscription.dispose();
  }, [page, command]);
}
