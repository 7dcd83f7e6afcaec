// Runs test/unit in plain mocha: `npm run test:unit -- amp` runs the files whose path contains "amp"; `--soak` runs
// test/soak; `--processes=1` runs it in one process beside others (default: one for each processor, at most 4).
import { availableParallelism } from 'node:os';
import { bootstrap } from './lib/bootstrap.mjs';
import { cleanUpAtEnd } from './lib/processes.mjs';
import { keepTemporaryFilesInMemory } from './lib/tests/memoryFolder.mjs';

await bootstrap();
cleanUpAtEnd(keepTemporaryFilesInMemory());
const { forgetSummary } = await import('./lib/tests/summary.mjs');
const { bundleTests, scriptsStayInPlace } = await import('./lib/tests/testFiles.mjs');
const { runPool } = await import('./lib/tests/runPool.mjs');

const options = process.argv.slice(2);
const name = options.includes('--soak') ? 'soak' : 'unit';
const [, processes] = options.map((option) => /^--processes=([1-9]\d*)$/.exec(option)).find(Boolean) ?? [];
const filters = options.filter((option) => !option.startsWith('--'));
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
await runPool(name, files, {
  // On a machine that is ten times slower than it should be, some tests take minutes. It only bounds what hangs.
  timeoutMs: name === 'soak' ? 10 * 60_000 : 5 * 60_000,
  maxFileMs: name === 'soak' ? 60 * 60_000 : 15 * 60_000,
  processes: Number(processes ?? Math.min(availableParallelism(), 4)),
});
