import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheRoot, inRoot } from '../paths.mjs';
import { run } from '../processes.mjs';
import { during } from '../progress.mjs';
import { ensureBuildTools } from '../systemPackages.mjs';

/** The npm package that carries VS Code's own server with a Node.js extension host. */
const version = '4.139.1';

/**
 * Installs VS Code's server into the cache unless it is there.
 * @returns {Promise<string>} its folder, the one with `out/server-main.js`
 */
export async function ensureCodeServer() {
  const folder = path.join(cacheRoot, `code-server-${version}`);
  const server = path.join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  // Written last: an interrupted install has none and is done again.
  const marker = path.join(folder, '.complete');
  const complete = await Promise.all([access(marker), access(path.join(server, 'out', 'server-main.js'))]).then(
    () => true,
    () => false,
  );
  if (complete) return server;

  await ensureBuildTools();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { 'code-server': version },
    allowScripts: { 'code-server': true, argon2: true },
  };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
  await during(
    `Installing VS Code for the browser (code-server ${version}, 620 MB)`,
    'about 2 minutes, once',
    async () => {
      const { code, output } = await run('npm', ['install', '--no-audit', '--no-fund'], {
        cwd: folder,
        env: { ...outsideNpm(), ...(await nodeHeaders()) },
      });
      if (code !== 0) throw new Error(`npm install of code-server failed:\n${output}`);
    },
  );
  await writeFile(marker, new Date().toISOString());
  return server;
}

/** Without what an `npm start` around us says of its own Node.js and folder: the installer believes it. */
function outsideNpm() {
  const ofOuterNpm = /^npm_(?!config_)|^npm_config_(user_agent|local_prefix)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofOuterNpm.test(name)));
}

/** The headers come with our Node.js, so that the native modules build without a download. */
async function nodeHeaders() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  for (const folder of [inRoot('node_modules', 'node', 'node_modules', name), inRoot('node_modules', name)]) {
    const found = await access(path.join(folder, 'include', 'node')).then(
      () => true,
      () => false,
    );
    if (found) return { npm_config_nodedir: folder };
  }
  return {};
}
