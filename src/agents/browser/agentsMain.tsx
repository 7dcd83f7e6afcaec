// Entry point of the page of agents: `dist/pages/agents.js`.
import { drawPage } from '../../webview/browser/page/drawPage';
import { AgentsApp } from './agentsApp';
import { AgentsPage } from './agentsPage';

drawPage((connection, api) => {
  const page = new AgentsPage(connection, api);
  page.start(window);
  return <AgentsApp page={page} />;
});
