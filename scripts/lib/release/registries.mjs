import { inRoot } from '../paths.mjs';
import { run } from '../processes.mjs';

/**
 * @typedef {object} Registry where editors get extensions from
 * @property {string} id for `--to`
 * @property {string} title
 * @property {string} token name of the variable with the token
 * @property {string} tokenHelp where to get one
 * @property {(id: string) => string} page of an extension
 * @property {(vsix: string) => readonly string[]} command for Node.js; takes the token from its environment
 * @property {(env: NodeJS.ProcessEnv) => Promise<void>} [prepare] installs the command
 */

/** @type {readonly Registry[]} */
export const registries = [
  {
    id: 'marketplace',
    title: 'Visual Studio Marketplace',
    token: 'VSCE_PAT',
    tokenHelp: 'make one at https://dev.azure.com with the scope Marketplace (Manage)',
    page: (id) => `https://marketplace.visualstudio.com/items?itemName=${id}`,
    command: (vsix) => [
      inRoot('node_modules', '@vscode', 'vsce', 'vsce'),
      ...['publish', '--packagePath', vsix, '--skip-duplicate'],
    ],
  },
  {
    id: 'open-vsx',
    title: 'Open VSX',
    token: 'OVSX_PAT',
    tokenHelp: 'make one at https://open-vsx.org/user-settings/tokens',
    page: (id) => `https://open-vsx.org/extension/${id.replace('.', '/')}`,
    command: (vsix) => [
      inRoot('scripts', 'open-vsx', 'node_modules', 'ovsx', 'bin', 'ovsx'),
      ...['publish', vsix, '--skip-duplicate'],
    ],
    prepare: async (env) => {
      const cwd = inRoot('scripts', 'open-vsx');
      const { code, output } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd, env });
      if (code !== 0) throw new Error(`npm ci in scripts/open-vsx failed:\n${output}`);
    },
  },
];
