import { createPageContext } from '../../webview/browser/page/pageState';
import type { ThreadPage } from './threadPage';

export const {
  PageProvider,
  usePage: useThreadPage,
  usePageState: useThreadPageState,
} = createPageContext((page: ThreadPage) => page);
