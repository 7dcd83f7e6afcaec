// Runs test/unit in plain mocha: `npm run test:unit -- amp` runs the files whose path contains "amp"; `--soak` runs
// test/soak; `--part=2/3` runs every third file, beginning with the second, for runs side by side.
import { bootstrap } from './lib/bootstrap.mjs';
import { endWhenInterrupted } from './lib/processes.mjs';

await bootstrap();
endWhenInterrupted();
const { forgetSummary } = await import('./lib/summary.mjs');
const { bundleTests, scriptsStayInPlace } = await import('./lib/testFiles.mjs');
const { runMocha } = await import('./lib/runMocha.mjs');

const options = process.argv.slice(2);
const kind = options.includes('--soak') ? 'soak' : 'unit';
const filters = options.filter((option) => !option.startsWith('--'));
const part = partOf(options.find((option) => option.startsWith('--part=')));
const name = part ? `${kind}-${part.number}of${part.count}` : kind;
await forgetSummary(name);
// `vscode` is not external: a runtime import of it outside a vscode folder stops the build.
const files = await bundleTests({
  from: `test/${kind}`,
  to: `out/test/${name}`,
  filters,
  ...(part ? { choose: (_, index) => index % part.count === part.number - 1 } : {}),
  esbuild: { plugins: [scriptsStayInPlace('cjs')] },
});
if (files.length === 0) {
  console.error(`No test below test/${kind} matches ${filters.join(', ')}`);
  process.exit(1);
}
await runMocha(name, files, { timeoutMs: kind === 'soak' ? 10 * 60_000 : 60_000 });

/** @param {string | undefined} option e.g. `--part=2/3` */
function partOf(option) {
  const [, number, count] = /^--part=([1-9]\d*)\/([1-9]\d*)$/.exec(option ?? '') ?? [];
  if (number !== undefined && count !== undefined) return { number: Number(number), count: Number(count) };
  if (option !== undefined) throw new Error(`${option} is no part of the tests, as --part=2/3 is`);
  return undefined;
}
