import { existsSync } from 'node:fs';
import * as path from 'node:path';

/** The locations of Amp's data on every operating system. Backline never opens `secrets.json` there. */
export interface AmpPaths {
  /** Absolute path of the folder with thread files. */
  readonly threadFolder: string;
  /** Folders that may contain `session.json` and `history.jsonl`. Some builds of Amp ignore XDG for these files. */
  readonly dataFolders: readonly string[];
  /** Path of a file that Amp builds of January 2026 write. */
  readonly lastThreadFile: string;
}

export function ampPaths(env: Readonly<Record<string, string | undefined>>, homeFolder: string): AmpPaths {
  const xdg = env['XDG_DATA_HOME'];
  const defaultFolder = path.join(homeFolder, '.local', 'share', 'amp');
  const data = xdg !== undefined && path.isAbsolute(xdg) ? path.join(xdg, 'amp') : defaultFolder;
  const state = env['XDG_STATE_HOME'];
  const stateFolder = state !== undefined && path.isAbsolute(state) ? state : path.join(homeFolder, '.local', 'state');
  return {
    threadFolder: path.join(data, 'threads'),
    dataFolders: [...new Set([data, defaultFolder])],
    lastThreadFile: path.join(stateFolder, 'amp', 'last-thread-id'),
  };
}

/** Whether Amp has stored threads on this machine. */
export function hasAmpThreads(env: Readonly<Record<string, string | undefined>>, homeFolder: string): boolean {
  return existsSync(ampPaths(env, homeFolder).threadFolder);
}

/** Returns the folders of Amp's discontinued extension. `storageFolder`: Backline's global storage. */
export function legacyExtensionFolders(storageFolder: string): readonly string[] {
  const globalStorage = path.dirname(storageFolder);
  const inDefaultProfile = globalStorage.replace(/([\\/])profiles[\\/][^\\/]+(?=[\\/]globalStorage$)/, '');
  const storages = new Set([globalStorage, inDefaultProfile]);
  return [...storages].map((folder) => path.join(folder, 'sourcegraph.amp', 'threads3'));
}

/** Whether a file is a thread, by its name. Amp's temporary files (`.amptmp`) are not. */
export function isThreadFileName(name: string): boolean {
  return /^T-[\w-]+\.json$/.test(name);
}
