// Builds dist/: the extension and what it ships beside it. `--production` minifies, `--watch` rebuilds.
import { readFile } from 'node:fs/promises';
import * as esbuild from 'esbuild';
import { agentReaperBundle } from './scripts/lib/bundles/agentReaper.mjs';
import { amplifierServerBundle } from './scripts/lib/bundles/amplifierServer.mjs';
import { contextWorkerBundle } from './scripts/lib/bundles/contextWorker.mjs';
import { conversationTextsWorkerBundle } from './scripts/lib/bundles/conversationTextsWorker.mjs';
import { demoAgentBundle } from './scripts/lib/bundles/demoAgent.mjs';
import { mcpBridgeBundle } from './scripts/lib/bundles/mcpBridge.mjs';
import { writeNotices } from './scripts/lib/notices.mjs';
import { pageBundles } from './scripts/lib/bundles/pages.mjs';
import { threadIndexWorkerBundle } from './scripts/lib/bundles/threadIndexWorker.mjs';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

/** The inline problem matcher of .vscode/tasks.json waits for these two lines. */
const announce = {
  name: 'announce',
  /** @param {import('esbuild').PluginBuild} build */
  setup(build) {
    build.onStart(() => console.log('[watch] build started'));
    build.onEnd((result) => {
      for (const { text, location } of result.errors) {
        console.error(`✘ [ERROR] ${text}`);
        if (location) console.error(`    ${location.file}:${location.line}:${location.column}:`);
      }
      console.log('[watch] build finished');
    });
  },
};

/**
 * Libraries look for `navigator` to find out where they run. VS Code's extension host logs an error with our name when it is
 * read, since Node.js did not always have it.
 */
const withoutNavigator = { navigator: 'undefined' };

/** @satisfies {import('esbuild').BuildOptions} */
const shared = {
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node22',
  minify: production,
  sourcemap: !production,
  sourcesContent: false,
  define: { BACKLINE_DEBUG: String(!production) },
  logLevel: watch ? 'silent' : 'warning',
  plugins: watch ? [announce] : [],
};

/**
 * What the extension imports only when it is used, each in a bundle of its own beside it: few windows ever serve, many
 * never start an agent. Errors that cross are known by their names, since each bundle has classes of its own.
 */
const loadedLater = {
  'amplifier-client': 'src/amplifier/node/client/serverClient.ts',
  'amplifier-serve': 'src/amplifier/node/server/amplifierServer.ts',
  agents: 'src/acp/node/catalogue/agentLauncher.ts',
  'agents-page': 'src/agents/vscode/agentsController.ts',
  'account-dialogs': 'src/acp/vscode/accountDialogs.ts',
  'amplifier-dialogs': 'src/amplifier/vscode/secretDialogs.ts',
  changes: 'src/changes/vscode/windowChanges.ts',
  comments: 'src/comments/vscode/commentsFeature.ts',
  chat: 'src/chat/vscode/chatRoot.ts',
  context: 'src/context/vscode/contextController.ts',
  'permissions-page': 'src/permissions/vscode/permissionsController.ts',
  'starting-points': 'src/startingPoints/vscode/startingPointCommands.ts',
  threads: 'src/threads/vscode/threadsFeature.ts',
  tools: 'src/tools/vscode/toolsController.ts',
  'transcript-export': 'src/transcript/common/export/exportTranscript.ts',
};

/** @type {import('esbuild').Plugin} */
const loadLater = {
  name: 'load later',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ kind, path: specifier }) => {
      if (kind !== 'dynamic-import') return undefined;
      const found = Object.entries(loadedLater).find(([, file]) =>
        file.endsWith(`${specifier.replace(/^[./]+/, '')}.ts`),
      );
      return found && { path: `./${found[0]}.js`, external: true };
    });
  },
};

/**
 * @param {import('esbuild').BuildOptions} own
 * @returns {import('esbuild').BuildOptions}
 */
const withSharedPlugins = (own) => ({
  ...shared,
  ...own,
  plugins: [...shared.plugins, ...(own.plugins ?? [])],
  outdir: 'dist',
});

/** @type {import('esbuild').BuildOptions[]} */
const bundles = [
  {
    ...shared,
    entryPoints: { extension: 'src/extension.ts' },
    outdir: 'dist',
    external: ['vscode'],
    define: { ...shared.define, ...withoutNavigator },
    plugins: [...shared.plugins, loadLater],
  },
  {
    ...shared,
    entryPoints: loadedLater,
    outdir: 'dist',
    external: ['vscode'],
    define: { ...shared.define, ...withoutNavigator },
    plugins: [...shared.plugins, loadLater],
  },
  { ...shared, ...demoAgentBundle(), outdir: 'dist' },
  { ...shared, ...agentReaperBundle(), outdir: 'dist' },
  withSharedPlugins(amplifierServerBundle()),
  { ...shared, ...mcpBridgeBundle(), outdir: 'dist' },
  ...pageBundles().map((page) => ({ ...shared, ...page, outdir: 'dist/pages' })),
  { ...shared, ...threadIndexWorkerBundle(), outdir: 'dist' },
  { ...shared, ...contextWorkerBundle(), outdir: 'dist' },
  { ...shared, ...conversationTextsWorkerBundle(), outdir: 'dist' },
  // The Amp CLI runs TypeScript, and users may read what is installed for it: it ships as it is written.
  {
    ...shared,
    entryPoints: { 'amp/backline-diagnostics': 'src/amp/plugin/backlineDiagnostics.ts' },
    outdir: 'dist',
    loader: { '.ts': 'copy' },
  },
];

if (watch) {
  for (const options of bundles) await (await esbuild.context(options)).watch();
} else {
  const results = await Promise.all(bundles.map((options) => esbuild.build({ ...options, metafile: true })));
  await writeNotices(
    'dist/ThirdPartyNotices.txt',
    results.map(({ metafile }) => metafile),
  );
  await checkNavigator();
  if (production) await checkDebugCode();
}

/** @throws Error when a bundle of the extension host reads what `withoutNavigator` takes away */
async function checkNavigator() {
  for (const name of ['extension', ...Object.keys(loadedLater)]) {
    const text = await readFile(`dist/${name}.js`, 'utf8');
    if (/\bnavigator\b/.test(text)) throw new Error(`dist/${name}.js reads navigator, which VS Code logs as an error.`);
  }
}

/** @throws Error when a bundle that ships has the checks of debug builds in it */
async function checkDebugCode() {
  for (const name of ['extension', 'amplifier-server', 'acp-server', ...Object.keys(loadedLater)]) {
    const text = await readFile(`dist/${name}.js`, 'utf8');
    if (/\bbacklineViolation\b/.test(text))
      throw new Error(`dist/${name}.js checks sessions, which only debug builds do.`);
  }
}
