import { createPageContext } from '../../../webview/browser/page/pageState';
import type { ConversationsPage } from './conversationsPage';

export const { PageProvider, usePage, usePageState } = createPageContext(({ store }: ConversationsPage) => store);
