import * as path from 'node:path';

export { isThreadId } from '../../common/heads/heads';

/** Where Amp keeps its data, the same on all systems. `secrets.json` in there is never opened. */
export interface AmpPlaces {
  /** Absolute, of threads. */
  readonly threads: string;
  /** Folders that may have a `session.json` and a `history.jsonl`: builds differ in whether they honour XDG there. */
  readonly data: readonly string[];
  /** Of builds of January 2026. */
  readonly lastThreadFile: string;
}

export function ampPlaces(env: Readonly<Record<string, string | undefined>>, homeFolder: string): AmpPlaces {
  const xdg = env['XDG_DATA_HOME'];
  const usual = path.join(homeFolder, '.local', 'share', 'amp');
  const data = xdg !== undefined && path.isAbsolute(xdg) ? path.join(xdg, 'amp') : usual;
  const state = env['XDG_STATE_HOME'];
  const stateFolder = state !== undefined && path.isAbsolute(state) ? state : path.join(homeFolder, '.local', 'state');
  return {
    threads: path.join(data, 'threads'),
    data: [...new Set([data, usual])],
    lastThreadFile: path.join(stateFolder, 'amp', 'last-thread-id'),
  };
}

/**
 * Where Amp's own extension, which is no longer there, has kept its threads beside other extensions' data. `storageFolder` is
 * that of one of these; a profile of VS Code has a place of its own.
 */
export function oldExtensionFolders(storageFolder: string): readonly string[] {
  const place = path.dirname(storageFolder);
  const ofDefault = place.replace(/([\\/])profiles[\\/][^\\/]+(?=[\\/]globalStorage$)/, '');
  return [...new Set([place, ofDefault])].map((folder) => path.join(folder, 'sourcegraph.amp', 'threads3'));
}

/** The name of a thread's file; what Amp is still writing (`.amptmp`) and whatever else lies there is none. */
export function isThreadFileName(name: string): boolean {
  return /^T-[\w-]+\.json$/.test(name);
}
