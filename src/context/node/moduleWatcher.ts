import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Coalescer, type Clock } from '../../base/common/async';
import { watchFolder } from '../../base/node/watchFolder';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';

/** How long to collect changes, in milliseconds, because editors often write a file in several steps. */
const burstMs = 100;

/** Calls back when a file of a module was written, replaced or removed. The owner must dispose it. */
export class ModuleWatcher implements Disposable {
  private readonly coalescer: Coalescer;
  /** The previous watchers. They are kept for a short time, so that no recent change is lost. */
  private previousWatchers: Disposable | undefined;
  private currentFiles: { readonly urls: ReadonlySet<string>; readonly watchers: Disposable } | undefined;

  constructor(
    private readonly clock: Clock,
    onChange: () => void,
  ) {
    this.coalescer = new Coalescer(clock, burstMs, onChange);
  }

  isWatching(url: string): boolean {
    return this.currentFiles?.urls.has(url) === true;
  }

  /** Replaces the watched files (`file:` URIs). Still reports recent changes of the previous files. */
  watch(urls: readonly string[]): void {
    const before = this.currentFiles?.watchers;
    const watchers = watchFiles(urls, this.clock, () => this.coalescer.schedule());
    this.currentFiles = { urls: new Set(urls), watchers };
    if (!before) return;
    this.previousWatchers?.dispose();
    // What has happened before then may not have been read yet. Node.js reads it before it runs an immediate.
    const timer = this.clock.setTimer(burstMs, () => void setImmediate(() => before.dispose()));
    this.previousWatchers = toDisposable(() => {
      timer.dispose();
      before.dispose();
    });
  }

  dispose(): void {
    this.previousWatchers?.dispose();
    this.currentFiles?.watchers.dispose();
    this.coalescer.dispose();
  }
}

/** Watches the folders of the files, because a watcher of a file ends when the file is replaced. */
function watchFiles(urls: readonly string[], clock: Clock, onChange: () => void): Disposable {
  const disposables = new DisposableStore();
  for (const [folder, names] of byFolder(urls)) {
    const files = [...names].map((name) => path.join(folder, name));
    const onChangeIn = (name: string | undefined): void => {
      if (name === undefined || names.has(name)) onChange();
    };
    disposables.add(watchFolder(folder, onChangeIn, { files, clock }));
  }
  return disposables;
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
