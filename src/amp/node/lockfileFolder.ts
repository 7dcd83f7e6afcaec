import * as path from 'node:path';

/**
 * Where clients look for lockfiles: `amp/ide` in the data folder. The Amp CLI looks in the first one: `~/.local/share` on
 * every system, on Linux `XDG_DATA_HOME` when it is absolute, as the XDG base directory specification asks. A client of the
 * document looks in `~/.local/share` only.
 */
export function ampLockfileFolders(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): readonly [string, ...string[]] {
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const xdg = platform === 'linux' ? env['XDG_DATA_HOME'] : undefined;
  const common = paths.join(home, '.local', 'share', 'amp', 'ide');
  const own = xdg && paths.isAbsolute(xdg) ? paths.join(xdg, 'amp', 'ide') : common;
  return own === common ? [common] : [own, common];
}
