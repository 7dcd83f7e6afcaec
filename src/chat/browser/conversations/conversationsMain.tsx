// Entry point of the page of all conversations, `dist/pages/conversations.js`. `data-place` is `tab` in an editor tab.
import { ChordFocusGuard } from '../../../webview/browser/chordFocusGuard';
import { drawPage } from '../../../webview/browser/page/drawPage';
import { ConversationsApp } from './conversationsApp';
import { ConversationsPage } from './conversationsPage';

drawPage((connection, api) => {
  const chords = new ChordFocusGuard(window, document.body.appendChild(document.createElement('div')));
  chords.start();
  const page = new ConversationsPage(connection, api, chords);
  page.start(window);
  return <ConversationsApp page={page} isTab={document.body.dataset['place'] === 'tab'} />;
});
