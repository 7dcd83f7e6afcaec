import { watch } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Coalescer, type Clock } from '../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';

/** Editors write a file in several steps. */
const burstMs = 100;

/**
 * Calls back when one of the files (`file:` URIs) is written, replaced or removed. It watches their folders, since a
 * file that is replaced by another takes its watcher with it. Where a folder cannot be watched nothing is told.
 */
export function watchModules(clock: Clock, urls: readonly string[], onChange: () => void): Disposable {
  const store = new DisposableStore();
  const coalescer = store.add(new Coalescer(clock, burstMs, onChange));
  for (const [folder, names] of byFolder(urls)) {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || names.has(name)) coalescer.schedule();
      });
      watcher.on('error', () => watcher.close());
      store.add(toDisposable(() => watcher.close()));
    } catch {
      // The folder is not there; the module's own error says so.
    }
  }
  return store;
}

function byFolder(urls: readonly string[]): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const url of urls) {
    const file = pathOf(url);
    if (file === undefined) continue;
    const names = folders.get(path.dirname(file)) ?? new Set();
    folders.set(path.dirname(file), names.add(path.basename(file)));
  }
  return folders;
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
