import { createPageContext } from '../../webview/browser/page/pageState';
import type { ChatPage } from './page/chatPage';

export const { PageProvider, usePage, usePageState } = createPageContext(({ store }: ChatPage) => store);
