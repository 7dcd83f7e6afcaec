// Entry point of the permissions page: `dist/pages/permissions.js`.
import { drawPage } from '../../webview/browser/page/drawPage';
import { PermissionsApp } from './permissionsApp';
import { PermissionsPage } from './permissionsPage';

drawPage((connection, api) => {
  const page = new PermissionsPage(connection, api);
  page.start(window);
  return <PermissionsApp page={page} />;
});
