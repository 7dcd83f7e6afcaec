// Entry point of the page of agents: `dist/pages/agents.js`.
import { render } from 'preact';
import { HostConnection, type VsCodeApi } from '../../webview/browser/hostConnection';
import { AgentsApp } from './agentsApp';
import { AgentsPage } from './agentsPage';

declare function acquireVsCodeApi(): VsCodeApi;

const root = document.getElementById('root');
if (root) {
  const api = acquireVsCodeApi();
  const page = new AgentsPage(new HostConnection(api), api);
  page.start(window);
  render(<AgentsApp page={page} />, root);
}
