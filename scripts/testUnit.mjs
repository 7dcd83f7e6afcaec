// Runs test/unit in plain mocha: `npm run test:unit -- amp` runs the files whose path contains "amp"; `--soak` runs test/soak.
import { bootstrap } from './lib/bootstrap.mjs';
import { endWhenInterrupted } from './lib/processes.mjs';

await bootstrap();
endWhenInterrupted();
const { forgetSummary } = await import('./lib/summary.mjs');
const { bundleTests, scriptsStayInPlace } = await import('./lib/testFiles.mjs');
const { runMocha } = await import('./lib/runMocha.mjs');

const name = process.argv.includes('--soak') ? 'soak' : 'unit';
const filters = process.argv.slice(2).filter((argument) => argument !== '--soak');
await forgetSummary(name);
// `vscode` is not external: a runtime import of it outside a vscode folder stops the build.
const files = await bundleTests({
  from: `test/${name}`,
  to: `out/test/${name}`,
  filters,
  esbuild: { plugins: [scriptsStayInPlace('cjs')] },
});
if (files.length === 0) {
  console.error(`No test below test/${name} matches ${filters.join(', ')}`);
  process.exit(1);
}
await runMocha(name, files, { timeoutMs: name === 'soak' ? 10 * 60_000 : 60_000 });
