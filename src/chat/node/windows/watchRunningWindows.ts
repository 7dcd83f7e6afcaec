import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { isRecord } from '../../../base/common/isRecord';
import { parseJson } from '../../../base/common/parseJson';
import { watchFolder } from '../../../base/node/watchFolder';

const stateSuffix = '.json';
/** Age of a lock, in milliseconds, after which its window has ended: it is renewed more often. */
const staleMs = 45_000;

/** Returns the folder that all windows share. `storageFolder`: that of Backline for all workspaces. */
export function windowsFolderIn(storageFolder: string): string {
  return path.join(storageFolder, 'windows');
}

/**
 * Calls `onRunning` once, as soon as a window runs a conversation. `folder` is that of `WindowRegistry`, and is created if it
 * is missing. This is a small part of that class, for a window that has not loaded it.
 */
export function watchRunningWindows(folder: string, onRunning: () => void): Disposable {
  const store = new DisposableStore();
  const look = async (): Promise<void> => {
    const names = await readdir(folder).catch(() => []);
    const running = await Promise.all(
      names.filter((name) => name.endsWith(stateSuffix)).map((name) => runsAny(path.join(folder, name))),
    );
    if (!running.includes(true) || store.isDisposed) return;
    store.dispose();
    onRunning();
  };
  const start = async (): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
    store.add(watchFolder(folder, (name = stateSuffix) => void (name.endsWith(stateSuffix) && look())));
    await look();
  };
  void start();
  return store;
}

/** Whether the window of this state runs a conversation. Never rejects. */
async function runsAny(stateFile: string): Promise<boolean> {
  try {
    const state = parseJson(await readFile(stateFile, 'utf8'));
    if (!isRecord(state) || !isRecord(state['conversations'])) return false;
    if (Object.keys(state['conversations']).length === 0) return false;
    const { mtimeMs } = await stat(`${stateFile.slice(0, -stateSuffix.length)}.lock`);
    return Date.now() - mtimeMs < staleMs;
  } catch {
    return false;
  }
}
