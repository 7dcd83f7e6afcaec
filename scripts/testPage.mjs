// Runs the webview pages' tests in Chromium: `npm run test:page -- chat` runs the files whose path contains "chat".
import { mkdir, rm } from 'node:fs/promises';
import { bootstrap } from './lib/bootstrap.mjs';
import { cleanUpAtEnd } from './lib/processes.mjs';
import { keepTemporaryFilesInMemory } from './lib/tests/memoryFolder.mjs';

await bootstrap();
cleanUpAtEnd(keepTemporaryFilesInMemory());
const { forgetSummary } = await import('./lib/tests/summary.mjs');
const { inRoot } = await import('./lib/paths.mjs');
const { bundleTests, scriptsStayInPlace } = await import('./lib/tests/testFiles.mjs');
const { runFiles } = await import('./lib/tests/runFiles.mjs');
const { ensureBrowser } = await import('./lib/systemPackages.mjs');

const filters = process.argv.slice(2);
await forgetSummary('page');
const files = await bundleTests({
  from: 'test/page',
  to: 'out/test/page',
  filters,
  esbuild: { plugins: [scriptsStayInPlace('cjs')] },
});
if (files.length === 0) {
  console.error(`No file below test/page matches ${filters.join(', ')}`);
  process.exit(1);
}
await ensureBrowser();
// Each file is a process of its own, and most of them need the same pages.
const pageBundles = inRoot('out', 'pageBundles');
await rm(pageBundles, { recursive: true, force: true });
await mkdir(pageBundles, { recursive: true });
process.env['BACKLINE_PAGE_BUNDLES'] = pageBundles;
// A process and its browser take more time than the tests of most files.
await runFiles('page', files, { timeoutMs: 180_000, filesAProcess: Math.min(5, Math.ceil(files.length / 2)) });
