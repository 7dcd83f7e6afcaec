// Runs the webview pages' tests in Chromium: `npm run test:page -- chat` runs the files whose path contains "chat".
import { bootstrap } from './lib/bootstrap.mjs';
import { endWhenInterrupted } from './lib/processes.mjs';

await bootstrap();
endWhenInterrupted();
const { forgetSummary, writeSummary } = await import('./lib/summary.mjs');
const { bundleTests, scriptsStayInPlace } = await import('./lib/testFiles.mjs');
const { runMocha } = await import('./lib/runMocha.mjs');
const { ensureBrowser } = await import('./lib/systemPackages.mjs');

await forgetSummary('page');
const files = await bundleTests({
  from: 'test/page',
  to: 'out/test/page',
  filters: process.argv.slice(2),
  esbuild: { plugins: [scriptsStayInPlace('cjs')] },
});
if (files.length === 0) {
  console.log('Backline has no pages yet: no file below test/page');
  await writeSummary('page', { passes: 0, failures: 0, pending: 0 });
  process.exit(0);
}
await ensureBrowser();
await runMocha('page', files, { timeoutMs: 20_000 });
