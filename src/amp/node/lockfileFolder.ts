import * as path from 'node:path';

/**
 * Returns the `amp/ide` folders with lockfiles. The Amp CLI uses the first one: in `~/.local/share`, or on Linux in
 * `XDG_DATA_HOME` if that is an absolute path. Clients that follow Amp's document only look in `~/.local/share`.
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
