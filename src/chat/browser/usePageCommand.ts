import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PageCommand } from './page/chatPage';
import { usePage } from './chatPageContext';

/** Calls the latest `run` whenever the host or another part of the page issues the command. */
export function usePageCommand(command: PageCommand, run: () => void): void {
  const page = usePage();
  const latest = useRef(run);
  latest.current = run;
  // A layout effect runs before the host can send commands, which it does as soon as the page is ready.
  useLayoutEffect(() => {
    const subscription = page.onDidRunCommand((other) => {
      if (other === command) latest.current();
    });
    return () => subscription.dispose();
  }, [page, command]);
}
