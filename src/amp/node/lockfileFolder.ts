import * as path from 'node:path';

/**
 * Where clients look for lockfiles: `amp/ide` in the data folder, which is `~/.local/share` on every system; on Linux
 * `XDG_DATA_HOME` comes first when it is absolute, as the XDG base directory specification asks.
 */
export function ampLockfileFolder(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const xdg = platform === 'linux' ? env['XDG_DATA_HOME'] : undefined;
  const data = xdg && paths.isAbsolute(xdg) ? xdg : paths.join(home, '.local', 'share');
  return paths.join(data, 'amp', 'ide');
}
