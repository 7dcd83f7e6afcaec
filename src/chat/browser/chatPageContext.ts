import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useRedrawOnEvent } from '../../webview/browser/useRedrawOnEvent';
import type { ChatPage } from './page/chatPage';
import type { ChatPageState } from './page/chatPageStore';

const context = createContext<ChatPage | undefined>(undefined);

export const PageProvider = context.Provider;

export function usePage(): ChatPage {
  const page = useContext(context);
  if (!page) throw new Error('usePage needs a PageProvider.');
  return page;
}

export function usePageState(): ChatPageState {
  const { store } = usePage();
  useRedrawOnEvent(store.onDidChange);
  return store.state;
}
