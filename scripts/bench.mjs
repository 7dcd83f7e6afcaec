// Runs bench/**/*.bench.ts, each in a process of its own; prints one JSON object a line. `npm run bench -- amp` filters by path.
import path from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { endWhenInterrupted, run } from './lib/processes.mjs';

await bootstrap();
endWhenInterrupted();
const { build } = await import('esbuild');
const { findFiles, scriptsStayInPlace } = await import('./lib/testFiles.mjs');

const filters = process.argv.slice(2);
const wanted = await findFiles('bench', '.bench.ts', filters);
if (wanted.length === 0) {
  console.error(`No file below bench matches ${filters.join(', ')}`);
  process.exit(1);
}
await build({
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
});
let failed = false;
for (const file of wanted) {
  const bundle = inRoot('out', path.dirname(file), `${path.basename(file, '.ts')}.js`);
  const { code } = await run(process.execPath, ['--expose-gc', bundle], { cwd: root, echo: true });
  if (code === 0) continue;
  failed = true;
  console.error(`${file} ended with ${code}`);
}
process.exit(failed ? 1 : 0);
