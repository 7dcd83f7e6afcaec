import * as path from 'node:path';

/** Possible paths of VS Code's ripgrep, likeliest first. `appRoot` and the results are absolute. */
export function ripgrepPaths(appRoot: string, platform: NodeJS.Platform, arch: string): readonly string[] {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const name = platform === 'win32' ? 'rg.exe' : 'rg';
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) =>
    [`@vscode/ripgrep-universal/bin/${platform}-${arch}`, '@vscode/ripgrep/bin'].map((place) =>
      paths.join(appRoot, modules, place, name),
    ),
  );
}
