import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../common/async';
import { DisposableStore, toDisposable, type Disposable } from '../common/disposable';
import { systemClock } from './systemClock';

const pollMs = 2_000;

interface WatchFolderOptions {
  /**
   * Names of files that are rewritten in place. Polling checks each of them, because such a write does not change the
   * modification time of the folder.
   */
  readonly files?: Iterable<string>;
  readonly clock?: Clock;
  /** Replaces `watch` of Node.js in tests. */
  readonly systemWatch?: typeof watch;
}

/** Reports changes in a folder, by file name if known. Polls if the system cannot watch. The caller disposes it. */
export function watchFolder(
  folder: string,
  onChange: (name: string | undefined) => void,
  { files = [], clock = systemClock, systemWatch = watch }: WatchFolderOptions = {},
): Disposable {
  const disposables = new DisposableStore();
  const poll = (): void => {
    if (!disposables.isDisposed) disposables.add(pollFolder([folder, ...files], clock, () => onChange(undefined)));
  };
  try {
    const watcher = systemWatch(folder, { persistent: false }, (_event, name) =>
      onChange(name === null ? undefined : path.basename(name)),
    );
    watcher.on('error', () => {
      watcher.close();
      poll();
    });
    disposables.add(toDisposable(() => watcher.close()));
  } catch {
    poll();
  }
  return disposables;
}

function pollFolder(paths: readonly string[], clock: Clock, onChange: () => void): Disposable {
  let timer: Disposable | undefined;
  let isDisposed = false;
  let lastStamp: string | undefined;
  const check = async (): Promise<void> => {
    const now = (await Promise.all(paths.map(fileStamp))).join();
    if (isDisposed) return;
    if (lastStamp !== undefined && lastStamp !== now) onChange();
    lastStamp = now;
    timer = clock.setTimer(pollMs, () => void check());
  };
  void check();
  return toDisposable(() => {
    isDisposed = true;
    timer?.dispose();
  });
}

async function fileStamp(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  return found ? `${found.ino}:${found.size}:${found.mtimeMs}` : '';
}
