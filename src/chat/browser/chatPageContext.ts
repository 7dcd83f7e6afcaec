import { createContext } from 'preact';
import { useRedrawOnEvent } from '../../webview/browser/hooks/useRedrawOnEvent';
import { useRequiredContext } from '../../webview/browser/hooks/useRequiredContext';
import type { ChatPage } from './page/chatPage';
import type { ChatPageState } from './page/chatPageStore';

const context = createContext<ChatPage | undefined>(undefined);

export const PageProvider = context.Provider;

export function usePage(): ChatPage {
  return useRequiredContext(context, 'page');
}

export function usePageState(): ChatPageState {
  const { store } = usePage();
  useRedrawOnEvent(store.onDidChange);
  return store.state;
}
