// Drives a real VS Code with backline.vsix installed, as a user would: `npm run test:ui -- amp` runs matching files.
import { bootstrap } from './lib/bootstrap.mjs';
import { endWhenInterrupted } from './lib/processes.mjs';

await bootstrap();
endWhenInterrupted();
const { ensureCodeServer } = await import('./lib/codeServer.mjs');
const { packageVsix } = await import('./lib/vsix.mjs');
const { forgetSummary } = await import('./lib/summary.mjs');
const { bundleTests, scriptsStayInPlace } = await import('./lib/testFiles.mjs');
const { runFiles } = await import('./lib/runFiles.mjs');
const { ensureBrowser } = await import('./lib/systemPackages.mjs');

const filters = process.argv.slice(2);
await forgetSummary('ui');
const files = await bundleTests({
  from: 'test/ui',
  to: 'out/test/ui',
  filters,
  esbuild: { format: 'esm', outExtension: { '.js': '.mjs' }, plugins: [scriptsStayInPlace('esm')] },
});
if (files.length === 0) {
  console.error(`No file below test/ui matches ${filters.join(', ')}`);
  process.exit(1);
}
await packageVsix();
await ensureBrowser();
await ensureCodeServer();
// `npm start` makes the package anew, which the others install.
await runFiles('ui', files, {
  timeoutMs: 360_000,
  alone: ['start'],
  long: ['workspaceConsent', 'ampTroubles', 'approvalAttacks'],
});
