// Runs test/agents: real agents, installed into .cache/agents, against a scripted model on this machine. No account is
// needed and nothing but the installation uses the network. Not part of `npm test`: what it installs is large.
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';
import { cacheRoot } from './lib/paths.mjs';
import { endWhenInterrupted, run } from './lib/processes.mjs';
import { during } from './lib/progress.mjs';

const opencode = { name: 'opencode-ai', version: '1.18.33', bin: 'opencode' };

await bootstrap();
endWhenInterrupted();
const folder = path.join(cacheRoot, 'agents', `${opencode.name}-${opencode.version}`);
const program = path.join(folder, 'node_modules', '.bin', opencode.bin);
if (!(await isThere(program))) {
  const reason = await install();
  if (reason !== undefined) {
    console.log(
      `SKIPPED: ${opencode.name} ${opencode.version} could not be installed, so no agent was tested.\n${reason}`,
    );
    process.exit(0);
  }
}
process.env['BACKLINE_TEST_OPENCODE'] = program;

const { forgetSummary } = await import('./lib/summary.mjs');
const { bundleTests } = await import('./lib/testFiles.mjs');
const { runMocha } = await import('./lib/runMocha.mjs');
await forgetSummary('agents');
const files = await bundleTests({ from: 'test/agents', to: 'out/test/agents', filters: process.argv.slice(2) });
await runMocha('agents', files, { timeoutMs: 60_000 });

/** @returns {Promise<string | undefined>} why it did not work */
async function install() {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', `${opencode.name}@${opencode.version}`];
  const { code, output } = await during(`Installing ${opencode.name}`, '350 MB', () =>
    run('npm', args, { cwd: folder }),
  );
  return code === 0 && (await isThere(program)) ? undefined : output;
}

/** @param {string} file */
function isThere(file) {
  return access(file).then(
    () => true,
    () => false,
  );
}
