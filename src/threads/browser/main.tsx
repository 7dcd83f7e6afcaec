// The page of a thread: `dist/pages/thread.js`.
import { render } from 'preact';
import { HostConnection, type VsCodeApi } from '../../webview/browser/hostConnection';
import { keepSelectAllInFields } from '../../webview/browser/selectAllInFields';
import { App } from './app';
import { ThreadPage } from './threadPage';

declare function acquireVsCodeApi(): VsCodeApi;

const root = document.getElementById('root');
if (root) {
  const api = acquireVsCodeApi();
  const page = new ThreadPage(new HostConnection(api), api, document.body.dataset['thread'] ?? '');
  page.start(window);
  keepSelectAllInFields(document);
  render(<App page={page} />, root);
}
