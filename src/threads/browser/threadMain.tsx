// Entry point of the thread page, `dist/pages/thread.js`.
import { drawPage } from '../../webview/browser/page/drawPage';
import { ThreadApp } from './threadApp';
import { ThreadPage } from './threadPage';

drawPage((connection, api) => {
  const page = new ThreadPage(connection, api, document.body.dataset['thread'] ?? '');
  page.start(window);
  return <ThreadApp page={page} />;
});
