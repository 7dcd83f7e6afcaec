// Entry point of the chat page, `dist/pages/chat.js`.
import { ChordFocusGuard } from '../../webview/browser/chordFocusGuard';
import { drawPage } from '../../webview/browser/page/drawPage';
import { ChatApp } from './chatApp';
import { ChatPage } from './page/chatPage';

drawPage((connection, api) => {
  const chords = new ChordFocusGuard(window, document.body.appendChild(document.createElement('div')));
  chords.start();
  const page = new ChatPage(connection, api, chords);
  page.start(window);
  return <ChatApp page={page} hasTitle={document.body.dataset['place'] !== 'tab'} />;
});
