// Entry point of the page of all conversations, `dist/pages/conversations.js`. `data-place` is `tab` in an editor tab.
import { drawPage } from '../../../webview/browser/page/drawPage';
import { ConversationsApp } from './conversationsApp';
import { ConversationsPage } from './conversationsPage';

drawPage((connection, api) => {
  const page = new ConversationsPage(connection, api);
  page.start(window);
  return <ConversationsApp page={page} isTab={document.body.dataset['place'] === 'tab'} />;
});
