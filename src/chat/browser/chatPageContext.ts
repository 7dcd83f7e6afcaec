import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useChanges } from '../../webview/browser/useChanges';
import type { ChatPage } from './chatPage';
import type { PageState } from './pageStore';

const context = createContext<ChatPage | undefined>(undefined);

export const PageProvider = context.Provider;

/** @throws Error outside of `PageProvider` */
export function usePage(): ChatPage {
  const page = useContext(context);
  if (!page) throw new Error('There is no page around this component');
  return page;
}

/** Draws the component again when the state changes. */
export function usePageState(): PageState {
  const { store } = usePage();
  useChanges(store.onDidChange);
  return store.state;
}
