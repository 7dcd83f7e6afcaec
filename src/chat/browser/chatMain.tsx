// Entry point of the chat page, `dist/pages/chat.js`.
import { render } from 'preact';
import { ChordFocusGuard } from '../../webview/browser/chordFocusGuard';
import { HostConnection, type VsCodeApi } from '../../webview/browser/hostConnection';
import { HostTimeContext } from '../../webview/browser/hostTime';
import { hideSelectAllFromHost } from '../../webview/browser/selectAllInFields';
import { ChatApp } from './chatApp';
import { ChatPage } from './page/chatPage';

declare function acquireVsCodeApi(): VsCodeApi;

const root = document.getElementById('root');
if (root) {
  const api = acquireVsCodeApi();
  const connection = new HostConnection(api);
  const chords = new ChordFocusGuard(window, document.body.appendChild(document.createElement('div')));
  chords.start();
  const page = new ChatPage(connection, api, chords);
  page.start(window);
  hideSelectAllFromHost(document);
  render(
    <HostTimeContext.Provider value={connection.hostTime}>
      <ChatApp page={page} hasTitle={document.body.dataset['place'] !== 'tab'} />
    </HostTimeContext.Provider>,
    root,
  );
}
