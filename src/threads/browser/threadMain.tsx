// Entry point of the thread page, `dist/pages/thread.js`.
import { render } from 'preact';
import { HostConnection, type VsCodeApi } from '../../webview/browser/hostConnection';
import { HostTimeContext } from '../../webview/browser/hostTime';
import { hideSelectAllFromHost } from '../../webview/browser/selectAllInFields';
import { ThreadApp } from './threadApp';
import { ThreadPage } from './threadPage';

declare function acquireVsCodeApi(): VsCodeApi;

const root = document.getElementById('root');
if (root) {
  const api = acquireVsCodeApi();
  const connection = new HostConnection(api);
  const page = new ThreadPage(connection, api, document.body.dataset['thread'] ?? '');
  page.start(window);
  hideSelectAllFromHost(document);
  render(
    <HostTimeContext.Provider value={connection.hostTime}>
      <ThreadApp page={page} />
    </HostTimeContext.Provider>,
    root,
  );
}
