// Installs what the tests with windows need besides npm packages: a browser, and VS Code's server.
import { bootstrap } from './lib/bootstrap.mjs';
import { endWhenInterrupted } from './lib/processes.mjs';

await bootstrap();
endWhenInterrupted();
const { ensureCodeServer } = await import('./lib/vscode/codeServer.mjs');
const { ensureBrowser } = await import('./lib/systemPackages.mjs');
await ensureBrowser();
await ensureCodeServer();
