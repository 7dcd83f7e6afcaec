import { messageOf } from '../../../base/common/errors';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import type { FilePort } from '../../../base/node/filePort';

interface HeadsWatcherPorts {
  readonly files: Pick<FilePort, 'watch'>;
  readonly log: Logger;
  /** Called with the folder, and the name of the entry that may have changed, if the system reports it. */
  readonly onChange: (folder: string, name: string | undefined) => void;
}

/** Watches folders of heads. An older version can add one while this one runs. */
export class HeadsWatcher implements Disposable {
  private readonly watchers = new Map<string, Disposable>();
  private isDisposed = false;

  constructor(private readonly ports: HeadsWatcherPorts) {}

  /** Watches the folders that are not watched yet. Never throws. */
  watch(folders: readonly string[]): void {
    const { files, log, onChange } = this.ports;
    for (const folder of folders) {
      if (this.watchers.has(folder) || this.isDisposed) continue;
      try {
        const watcher = files.watch(folder, (name) => {
          if (!this.isDisposed) onChange(folder, name);
        });
        this.watchers.set(folder, watcher);
      } catch (error) {
        log.warn(`Cannot watch the conversations folder: ${messageOf(error)}`);
      }
    }
  }

  dispose(): void {
    this.isDisposed = true;
    for (const watcher of this.watchers.values()) watcher.dispose();
  }
}
