// Entry point of the permissions page: `dist/pages/permissions.js`.
import { render } from 'preact';
import { HostConnection, type VsCodeApi } from '../../webview/browser/hostConnection';
import { PermissionsApp } from './permissionsApp';
import { PermissionsPage } from './permissionsPage';

declare function acquireVsCodeApi(): VsCodeApi;

const root = document.getElementById('root');
if (root) {
  const api = acquireVsCodeApi();
  const page = new PermissionsPage(new HostConnection(api), api);
  page.start(window);
  render(<PermissionsApp page={page} />, root);
}
