// Runs test/agents: real agents, installed into .cache/agents, against a scripted model on this machine. No account is
// needed and nothing but the installation uses the network. Not part of `npm test`: what it installs is large.
// `npm run test:agents -- install` runs only the files whose path contains the word: here, Backline's own installer.
import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';
import { cacheRoot, root } from './lib/paths.mjs';
import { endWhenInterrupted, run } from './lib/processes.mjs';
import { during } from './lib/progress.mjs';

/** Agents by the variable that tells the tests where the program is. */
const agents = [
  { variable: 'BACKLINE_TEST_OPENCODE', name: 'opencode-ai', version: '1.18.33', bin: 'opencode', size: '350 MB' },
  {
    variable: 'BACKLINE_TEST_CLAUDE',
    name: '@agentclientprotocol/claude-agent-acp',
    version: '0.101.0',
    bin: 'claude-agent-acp',
    size: '400 MB',
  },
  { variable: 'BACKLINE_TEST_GEMINI', name: '@google/gemini-cli', version: '0.61.0', bin: 'gemini', size: '100 MB' },
  {
    variable: 'BACKLINE_TEST_CODEX',
    name: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    bin: 'codex-acp',
    size: '460 MB',
  },
  { variable: 'BACKLINE_TEST_COPILOT', name: '@github/copilot', version: '1.0.102', bin: 'copilot', size: '190 MB' },
];

await bootstrap();
endWhenInterrupted();
const { forgetSummary, isGood } = await import('./lib/tests/summary.mjs');
const { bundleTests } = await import('./lib/tests/testFiles.mjs');
const { runMocha } = await import('./lib/tests/runMocha.mjs');
await forgetSummary('agents');
const files = await bundleTests({ from: 'test/agents', to: 'out/test/agents', filters: process.argv.slice(2) });
if (files.length === 0) {
  console.error(`No file below test/agents matches ${process.argv.slice(2).join(', ')}`);
  process.exit(1);
}
// The tests of Backline's own installer install their agents themselves.
if (files.some((file) => !path.basename(file).startsWith('install.')) && !(await installAll())) {
  console.log('SKIPPED: no agent could be installed, so none was tested.');
  process.exit(0);
}
const { code } = await run(process.execPath, ['esbuild.mjs'], { cwd: root, echo: true });
if (code !== 0) process.exit(1);
process.exit(isGood(await runMocha('agents', files, { timeoutMs: 300_000 })) ? 0 : 1);

/** Resolves with whether there is at least one agent. */
async function installAll() {
  let installed = 0;
  for (const agent of agents) {
    const program = await install(agent);
    if (program === undefined) continue;
    process.env[agent.variable] = program;
    installed++;
  }
  return installed > 0;
}

/**
 * @param {typeof agents[number]} agent
 * @returns {Promise<string | undefined>} the path of its program
 */
async function install({ bin, name, size, version }) {
  const folder = path.join(cacheRoot, 'agents', `${name.replaceAll('/', '-')}-${version}`);
  const program = path.join(folder, 'node_modules', '.bin', bin);
  if (await isThere(program)) return program;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', `${name}@${version}`];
  const { output } = await during(`Installing ${name}`, size, () => run('npm', args, { cwd: folder }));
  if (await isThere(program)) return program;
  console.log(`SKIPPED: ${name} ${version} could not be installed.\n${output}`);
  return undefined;
}

/** @param {string} file */
function isThere(file) {
  return access(file).then(
    () => true,
    () => false,
  );
}
