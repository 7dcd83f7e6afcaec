import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useRedrawOnEvent } from '../../webview/browser/useRedrawOnEvent';
import type { ThreadPage, ThreadPageState } from './threadPage';

const pageContext = createContext<ThreadPage | undefined>(undefined);

export const PageProvider = pageContext.Provider;

/** Returns the page. @throws Error outside of `PageProvider` */
export function useThreadPage(): ThreadPage {
  const page = useContext(pageContext);
  if (!page) throw new Error('This component is outside PageProvider');
  return page;
}

/** Returns the state of the page. The component is redrawn when the state changes. */
export function useThreadPageState(): ThreadPageState {
  const page = useThreadPage();
  useRedrawOnEvent(page.onDidChange);
  return page.state;
}
