// The page of the chat: `dist/pages/chat.js`.
import { render } from 'preact';
import { HostConnection, type VsCodeApi } from '../../webview/browser/hostConnection';
import { keepSelectAllInFields } from '../../webview/browser/selectAllInFields';
import { App } from './app';
import { ChatPage } from './chatPage';

declare function acquireVsCodeApi(): VsCodeApi;

const root = document.getElementById('root');
if (root) {
  const api = acquireVsCodeApi();
  const page = new ChatPage(new HostConnection(api), api);
  page.start(window);
  keepSelectAllInFields(document);
  render(<App page={page} />, root);
}
