// Runs bench/**/*.bench.ts, each in a process of its own; prints one JSON object a line, when a file has ended, and keeps the last of
// each in out/bench/results.jsonl. `npm run bench -- amp` filters by path.
import path from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { endWhenInterrupted, runContained } from './lib/processes.mjs';

await bootstrap();
endWhenInterrupted();
const { build } = await import('esbuild');
const { ensureBrowser } = await import('./lib/systemPackages.mjs');
const { findFiles, scriptsStayInPlace } = await import('./lib/tests/testFiles.mjs');
const { keepBenchResults } = await import('./lib/bench/benchResults.mjs');
const { runUntilBarsHold } = await import('./lib/bench/benchRuns.mjs');

const filters = process.argv.slice(2);
const wanted = await findFiles('bench', '.bench.ts', filters);
if (wanted.length === 0) {
  console.error(`No file below bench matches ${filters.join(', ')}`);
  process.exit(1);
}
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: wanted,
  outbase: 'bench',
  outdir: 'out/bench',
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node22',
  packages: 'external',
  plugins: [scriptsStayInPlace('cjs')],
  logLevel: 'warning',
  metafile: true,
});
const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map((entry) => entry.path));
if (imported.includes(inRoot('scripts', 'lib', 'chromium.mjs'))) await ensureBrowser();

const endWithParent = inRoot('scripts', 'lib', 'endWithParent.mjs');
let failed = false;
for (const file of wanted) {
  const bundle = inRoot('out', path.dirname(file), `${path.basename(file, '.ts')}.js`);
  const args = ['--expose-gc', '--import', endWithParent, bundle];
  const { code, output } = await runUntilBarsHold(() => runContained(process.execPath, args, { cwd: root }));
  process.stdout.write(output);
  await keepBenchResults(output);
  if (code === 0) continue;
  failed = true;
  console.error(`${file} ended with ${code}`);
}
process.exit(failed ? 1 : 0);
