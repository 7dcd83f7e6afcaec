// Drives a real VS Code with backline.vsix installed, as a user would: `npm run test:ui -- amp` runs matching files;
// `--real-agents` runs test/agentsUi, which installs agents from the npm registry and is not part of `npm test`.
import { bootstrap } from './lib/bootstrap.mjs';
import { cleanUpAtEnd } from './lib/processes.mjs';
import { removeFolder } from './lib/removeFolder.mjs';
import { keepTemporaryFilesInMemory } from './lib/tests/memoryFolder.mjs';

await bootstrap();
/** @type {string | undefined} */
let installationFolder;
const removeTemporaryFiles = keepTemporaryFilesInMemory();
cleanUpAtEnd(() => {
  if (installationFolder !== undefined) removeFolder(installationFolder);
  removeTemporaryFiles();
});
const { ensureCodeServer } = await import('./lib/vscode/codeServer.mjs');
const { installVsix } = await import('./lib/vscode/host.mjs');
const { makeSandbox } = await import('./lib/vscode/sandbox.mjs');
const { packageVsix, vsixFile } = await import('./lib/vscode/vsix.mjs');
const { forgetSummary } = await import('./lib/tests/summary.mjs');
const { bundleTests, scriptsStayInPlace } = await import('./lib/tests/testFiles.mjs');
const { runFiles } = await import('./lib/tests/runFiles.mjs');
const { ensureBrowser } = await import('./lib/systemPackages.mjs');

const kind = process.argv.includes('--real-agents') ? 'agentsUi' : 'ui';
const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
await forgetSummary(kind);
const files = await bundleTests({
  from: `test/${kind}`,
  to: `out/test/${kind}`,
  filters,
  // Files that run in one process share what they import: the window of test/ui/support/sharedWindow.ts.
  esbuild: { format: 'esm', splitting: true, outExtension: { '.js': '.mjs' }, plugins: [scriptsStayInPlace('esm')] },
});
if (files.length === 0) {
  console.error(`No file below test/${kind} matches ${filters.join(', ')}`);
  process.exit(1);
}
await packageVsix();
await ensureBrowser();
await ensureCodeServer();
// Installed once, since each window takes a second for that. Windows do not change it.
const installation = await makeSandbox();
installationFolder = installation.folder;
await installVsix(vsixFile, installation);
process.env['BACKLINE_EXTENSIONS'] = installation.extensionsDir;
// `npm start` builds `dist` anew, and the others start programs from there.
await runFiles(kind, files, {
  timeoutMs: 360_000,
  // Longer than the time of any test.
  maxSilentMs: 16 * 60_000,
  atOnce: 3,
  alone: ['start'],
  isWhole: kind === 'ui' && filters.length === 0,
  // Each list shares one window. A file that leaves something behind, such as a terminal, is the last of its list.
  inOneProcess: [
    [
      ...['chatModes', 'commandLines', 'agentKeys', 'changedSettings', 'forkConversation', 'remoteAgent'],
      ...['chatTwoWindows', 'chatAmplifier', 'amplifier'],
    ],
    ['restore', 'unsavedText', 'approvalAttacks'],
    ['chatKeys', 'contextSlow', 'llmProviders', 'chat'],
    ['install', 'ampProtected', 'ampClient', 'amp'],
    ['threadActions', 'threads'],
  ],
  long: [
    'chatModes',
    'review',
    'chatKeys',
    'sameConversation',
    'restore',
    'install',
    'threadActions',
    'preparedGit',
    'movedFolders',
    'workspaceConsent',
  ],
});
