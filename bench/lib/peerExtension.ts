import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { build } from 'esbuild';
import { inRoot, root } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/processes.mjs';

/**
 * Packages a small extension that starts with VS Code, to compare Backline with. `source` is TypeScript; its imports are resolved
 * from the root of the repository. The caller removes the folder. @returns the .vsix in it
 */
export async function packagePeerExtension(folder: string, name: string, source: string): Promise<string> {
  const manifest = {
    name,
    publisher: 'backline',
    version: '1.0.0',
    engines: { vscode: '^1.90.0' },
    main: './extension.js',
    activationEvents: ['onStartupFinished'],
  };
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  await build({
    absWorkingDir: root,
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    outfile: path.join(folder, 'extension.js'),
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    external: ['vscode', 'bufferutil', 'utf-8-validate'],
    logLevel: 'warning',
  });
  const vsix = path.join(folder, `${name}.vsix`);
  const options = ['--no-dependencies', '--allow-missing-repository', '--skip-license', '--out', vsix];
  const vsce = inRoot('node_modules', '@vscode', 'vsce', 'vsce');
  const { code, output } = await run(process.execPath, [vsce, 'package', ...options], { cwd: folder });
  if (code !== 0) throw new Error(`The peer was not packaged:\n${output}`);
  return vsix;
}
