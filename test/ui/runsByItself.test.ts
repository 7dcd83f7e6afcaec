import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { ProtectedFiles } from '../../src/editor/common/protection/protectedFiles';
import { eventually } from '../support/eventually';
import { VsCodeWindow } from './support/window';

const shellOfTasks = 'terminal.integrated.automationProfile';
/** Shell scripts in the workspace, each with what could run it. */
const scripts: Readonly<Record<string, string>> = {
  'git.path': 'tools/git',
  'php.validate.executablePath': 'tools/php',
  'typescript.tsserver.nodePath': 'tools/node',
  [shellOfTasks]: 'tools/shell',
  gulp: 'node_modules/.bin/gulp',
  grunt: 'node_modules/.bin/grunt',
  jake: 'node_modules/.bin/jake',
  eslint: 'node_modules/.bin/eslint',
  prettier: 'node_modules/.bin/prettier',
  tsc: 'node_modules/.bin/tsc',
  npm: 'node_modules/.bin/npm',
  python: '.venv/bin/python',
};
/** CommonJS modules in the workspace, each with what could load it. */
const modules: Readonly<Record<string, string>> = {
  'plugin of tsconfig.json': 'node_modules/ts-plugin/index.js',
  'typescript.tsdk': 'node_modules/typescript/lib/tsserver.js',
  ESLint: 'eslint.config.js',
  'older ESLint': '.eslintrc.cjs',
  Prettier: 'prettier.config.js',
  'older Prettier': '.prettierrc.cjs',
};
/** Configurations with commands, each with what could run them. */
const configurations: Readonly<Record<string, string>> = {
  task: '.vscode/tasks.json',
  launch: '.vscode/launch.json',
  'MCP server of VS Code': '.vscode/mcp.json',
  'MCP server of the folder': '.mcp.json',
  'MCP server of Cursor': '.cursor/mcp.json',
  'development container': '.devcontainer/devcontainer.json',
  'npm script': 'package.json',
  direnv: '.envrc',
};
const settingsOfWorkspace = '.vscode/settings.json';

/** SECURITY.md lists what is tried here. */
describe('What VS Code and its built-in extensions run by themselves in a trusted workspace', () => {
  let window: VsCodeWindow;
  let marks: string;

  before(async () => {
    window = await VsCodeWindow.open({
      isLean: false,
      // A user can allow this once for all workspaces.
      settings: { 'task.allowAutomaticTasks': 'on' },
      prepare: async ({ folder, workspace }) => {
        marks = path.join(folder, 'marks');
        await mkdir(marks);
        await fill(workspace);
      },
    });
  });
  after(() => window.close());

  async function fill(workspace: string): Promise<void> {
    const put = async (file: string, text: string): Promise<void> => {
      await mkdir(path.dirname(path.join(workspace, file)), { recursive: true });
      await writeFile(path.join(workspace, file), text);
    };
    const json = (file: string, value: object): Promise<void> => put(file, JSON.stringify(value));
    const touch = (name: string): string => `touch '${path.join(marks, name)}'`;
    const server = (name: string): object => ({ x: { command: '/bin/sh', args: ['-c', touch(name)] } });
    for (const [name, file] of Object.entries(scripts)) {
      await put(file, `#!/bin/sh\n${touch(name)}\n${name === shellOfTasks ? 'exec /bin/sh "$@"' : 'exit 1'}\n`);
      await chmod(path.join(workspace, file), 0o755);
    }
    for (const [name, file] of Object.entries(modules)) {
      await put(file, `require('node:fs').writeFileSync(${JSON.stringify(path.join(marks, name))}, '');\n`);
    }
    await json(settingsOfWorkspace, {
      'git.path': path.join(workspace, 'tools/git'),
      'php.validate.executablePath': path.join(workspace, 'tools/php'),
      'typescript.tsserver.nodePath': path.join(workspace, 'tools/node'),
      'typescript.tsdk': 'node_modules/typescript/lib',
      'terminal.integrated.automationProfile.linux': { path: path.join(workspace, 'tools/shell') },
      'gulp.autoDetect': 'on',
      'grunt.autoDetect': 'on',
      'jake.autoDetect': 'on',
      'emmet.extensionsPath': ['emmet'],
      'chat.mcp.discovery.enabled': true,
      'chat.mcp.autostart': 'newAndOutdated',
    });
    const task = { label: 'x', type: 'shell', command: touch('task'), runOptions: { runOn: 'folderOpen' } };
    await json('.vscode/tasks.json', { version: '2.0.0', tasks: [task] });
    const launch = { type: 'node', request: 'launch', name: 'x', runtimeExecutable: 'tools/node', program: 'x.js' };
    await json('.vscode/launch.json', { configurations: [launch] });
    await json('.vscode/mcp.json', { servers: server('MCP server of VS Code') });
    await json('.mcp.json', { mcpServers: server('MCP server of the folder') });
    await json('.cursor/mcp.json', { mcpServers: server('MCP server of Cursor') });
    await json('.devcontainer/devcontainer.json', { initializeCommand: touch('development container') });
    await json('tsconfig.json', { compilerOptions: { plugins: [{ name: 'ts-plugin' }] } });
    await json('node_modules/ts-plugin/package.json', { name: 'ts-plugin', version: '1.0.0', main: 'index.js' });
    await json('node_modules/typescript/package.json', { name: 'typescript', version: '5.9.0' });
    await json('package.json', { name: 'x', scripts: { prepare: touch('npm script') } });
    await put('.envrc', `${touch('direnv')}\n`);
    await put('Makefile', `X := $(shell ${touch('make')})\n`);
    for (const name of ['gulpfile.js', 'Gruntfile.js', 'Jakefile.js'])
      await put(name, `require('node:fs').writeFileSync(${JSON.stringify(path.join(marks, name))}, '');\n`);
    await json('emmet/snippets.json', {});
    for (const [file, text] of Object.entries(texts)) await put(file, text);
  }

  const texts: Readonly<Record<string, string>> = {
    'one.php': '<?php echo 1;\n',
    'two.ts': 'export const two: string = 2;\n',
    'three.md': '# Three\n',
    'four.html': '<p>\n',
    'five.css': 'a {}\n',
    'six.js': 'module.exports = 6;\n',
    'seven.py': 'seven = 7\n',
  };

  it('is protected by default, and so is what others are known to run', async () => {
    for (const file of [...Object.keys(texts), 'package.json']) await window.openFile(file);
    const ran = await eventually('what runs', async () => {
      const names = (await readdir(marks)).toSorted();
      assert.ok(names.includes('task') && names.includes('php.validate.executablePath'), names.join());
      return names;
    });
    await window.screenshot('runs-by-itself');
    assert.deepEqual(ran, ['php.validate.executablePath', 'task', shellOfTasks]);
    const protectedFiles = new ProtectedFiles();
    const isProtected = (file: string): boolean =>
      protectedFiles.protectionOf([{ path: `/ws/${file}`, relativePath: file }]) !== undefined;
    const named = Object.values(scripts).filter((file) => !file.startsWith('tools/'));
    for (const file of [settingsOfWorkspace, ...named, ...Object.values(modules), ...Object.values(configurations)])
      assert.ok(isProtected(file), file);
  });
});
