// Publishes the version of package.json: `npm run release -- --dry-run` checks and puts together everything and publishes
// nothing. `--vsix <file>` takes a package that is there, `--tag <tag>` has to be the version's, `--to <registry>` takes one only.
import { bootstrap } from './lib/bootstrap.mjs';
import { registries } from './lib/release/registries.mjs';
import { takeTokens } from './lib/release/tokens.mjs';

// What installs, builds and packages gets no token: only the command that publishes to its registry.
const tokens = takeTokens(process.env, registries);
await bootstrap(tokens);
const { root } = await import('./lib/paths.mjs');
const { release } = await import('./lib/release/release.mjs');
const { checkPackage, packageVsix, vsixFile } = await import('./lib/vscode/vsix.mjs');

try {
  const env = { ...process.env, ...tokens };
  await release(process.argv.slice(2), { root, env, registries, build, print: console.log });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** @throws {Error} when the package is too large or holds other files than it should */
async function build() {
  await packageVsix();
  const problems = await checkPackage();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return vsixFile;
}
