import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useChanges } from '../../webview/browser/useChanges';
import type { ThreadPage, ThreadPageState } from './threadPage';

const context = createContext<ThreadPage | undefined>(undefined);

export const PageProvider = context.Provider;

/** @throws Error outside of `PageProvider` */
export function usePage(): ThreadPage {
  const page = useContext(context);
  if (!page) throw new Error('There is no page around this component');
  return page;
}

/** Draws the component again when the state changes. */
export function usePageState(): ThreadPageState {
  const page = usePage();
  useChanges(page.onDidChange);
  return page.state;
}
