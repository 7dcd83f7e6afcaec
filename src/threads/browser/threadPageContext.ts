import { createContext } from 'preact';
import { useRedrawOnEvent } from '../../webview/browser/hooks/useRedrawOnEvent';
import { useRequiredContext } from '../../webview/browser/hooks/useRequiredContext';
import type { ThreadPage, ThreadPageState } from './threadPage';

const pageContext = createContext<ThreadPage | undefined>(undefined);

export const PageProvider = pageContext.Provider;

/** Returns the page. @throws Error outside of `PageProvider` */
export function useThreadPage(): ThreadPage {
  return useRequiredContext(pageContext, 'page');
}

/** Returns the state of the page. The component is redrawn when the state changes. */
export function useThreadPageState(): ThreadPageState {
  const page = useThreadPage();
  useRedrawOnEvent(page.onDidChange);
  return page.state;
}
