import {
  constants,
  copyFile,
  link,
  lstat,
  mkdir,
  readFile,
  readlink,
  realpath,
  rmdir,
  unlink,
  writeFile,
} from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode, messageOf } from '../../base/common/errors';
import { replaceFileBy } from '../../base/node/replaceFile';

/** The name of the plugin file. Amp loads it from any plugin folder. */
const pluginFileName = 'backline-diagnostics.ts';

/** The kind of file at the plugin's path. It is only replaced or removed if it is `ours`. */
export type PluginState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'foreign' }
  /** A symbolic link in the path leads outside the workspace folder. */
  | { readonly kind: 'outside' }
  | { readonly kind: 'ours'; readonly version: string; readonly age: PluginAge };

/** How the file compares with the bundled plugin. `edited`: the version is the same, but the text differs. */
type PluginAge = 'current' | 'older' | 'newer' | 'edited';

/** Matches the first line of an installed plugin, which identifies it as installed by Backline. */
const marker = /^\/\/ backline-diagnostics (\S+):/;
const markerOf = (version: string): string =>
  `// backline-diagnostics ${version}: installed by the VS Code extension Backline, which may replace or remove this file.\n`;
const maxBytes = 1024 * 1024;

/** Returns the folder in which Amp looks for the user's plugins. It is the same on every system. */
export function userPluginFolder(env: Readonly<Record<string, string | undefined>>, homeFolder: string): string {
  const configured = env['XDG_CONFIG_HOME'] ?? '';
  return path.join(configured === '' ? path.join(homeFolder, '.config') : configured, 'amp', 'plugins');
}

export function workspacePluginFolder(folder: string): string {
  return path.join(folder, '.amp', 'plugins');
}

/** The plugin file in one folder. It need not exist yet. */
export class PluginFile {
  readonly file: string;
  private readonly pluginText: string;

  /** `source` is the bundled plugin. With `root`, nothing outside that folder is accessed, not even through links. */
  constructor(
    private readonly folder: string,
    source: string,
    private readonly pluginVersion: string,
    private readonly rootFolder?: string,
  ) {
    this.file = path.join(folder, pluginFileName);
    this.pluginText = markerOf(pluginVersion) + source;
  }

  async readState(): Promise<PluginState> {
    let text: string;
    try {
      if (!(await this.isInsideRoot())) return { kind: 'outside' };
      const stat = await lstat(this.file);
      // Backline only installs regular files. A link, folder or pipe is from someone else.
      if (!stat.isFile() || stat.size > maxBytes) return { kind: 'foreign' };
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
      throw error;
    }
    const version = marker.exec(text)?.[1];
    if (version === undefined) return { kind: 'foreign' };
    // Line endings are ignored, because version control may have changed them.
    const isSame = text.replaceAll('\r\n', '\n') === this.pluginText;
    return { kind: 'ours', version, age: isSame ? 'current' : ageOf(version, this.pluginVersion) };
  }

  /** Installs or replaces the plugin atomically. @throws Error that explains what to do */
  async install(): Promise<void> {
    const { kind } = await this.requireOwnOrAbsent();
    try {
      await mkdir(this.folder, { recursive: true });
      // Amp loads only names that end in `.ts`, which those of temporary files don't.
      await replaceFileBy(
        this.file,
        (temporary) => writeFile(temporary, this.pluginText, { flag: 'wx' }),
        kind === 'ours' ? {} : { publish: publishFile },
      );
    } catch (error) {
      const advice = `Make sure that you can write to ${this.folder}, then run the command again.`;
      throw new Error(`Could not install the plugin: ${messageOf(error)}. ${advice}`, { cause: error });
    }
  }

  /** Removes the plugin and empty folders. @throws Error if it is not Backline's or the file system fails */
  async remove(): Promise<void> {
    if ((await this.requireOwnOrAbsent()).kind !== 'ours') return;
    await unlink(this.file);
    const parent = path.dirname(this.folder);
    // In the user's configuration, the installation creates at most the plugins folder, so only that folder may be
    // removed.
    for (const folder of this.rootFolder === undefined ? [this.folder] : [this.folder, parent]) {
      await rmdir(folder).catch(() => undefined);
    }
  }

  private async requireOwnOrAbsent(): Promise<PluginState> {
    const state = await this.readState();
    if (state.kind === 'foreign') {
      throw new Error(
        `${this.file} was not created by Backline and was left unchanged. Move it, then run the command again.`,
      );
    }
    if (state.kind === 'outside') {
      throw new Error(
        `${this.folder} is a link that leads out of the workspace. Make it a folder, then run the command again.`,
      );
    }
    return state;
  }

  private async isInsideRoot(): Promise<boolean> {
    if (this.rootFolder === undefined) return true;
    const relative = path.relative(await realpath(this.rootFolder), await nearestRealpath(this.folder));
    return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  }
}

/** Resolves the folder, or its closest existing parent. For a broken link, returns its target. */
async function nearestRealpath(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const isLink = await lstat(folder).then(
      (stat) => stat.isSymbolicLink(),
      () => false,
    );
    if (isLink) return path.resolve(path.dirname(folder), await readlink(folder));
    return await nearestRealpath(path.dirname(folder));
  }
}

/** Like `rename`, but fails if the target already exists. */
async function publishFile(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file);
  } catch (error) {
    // Other errors mean that the file system may not support hard links.
    if (errorCode(error) === 'EEXIST') throw error;
    await copyFile(temporary, file, constants.COPYFILE_EXCL);
  }
  await unlink(temporary);
}

function ageOf(installed: string, ours: string): PluginAge {
  const order = compareVersions(installed, ours);
  if (order === 0) return 'edited';
  return order < 0 ? 'older' : 'newer';
}

/** Negative if `a` is older. Compares numbers: 0.10.0 is newer than 0.9.0. Versions consist only of numbers. */
function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
