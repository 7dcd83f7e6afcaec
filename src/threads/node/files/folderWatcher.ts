import { watch, type FSWatcher } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import * as path from 'node:path';
import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';

export interface FolderWatcherDeps {
  /** Absolute path of the folder. It may not exist yet. */
  readonly folder: string;
  /** Whether to watch a file with this name. */
  readonly accepts: (name: string) => boolean;
  /** Receives the names of changed files, or undefined if any file may have changed. */
  readonly onChange: (names: ReadonlySet<string> | undefined) => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether the operating system reports changes in this folder. Tests can replace it. */
  readonly reportsChanges?: (folder: string) => Promise<boolean>;
}

const coalesceMs = 250;
/** How often to check whether the folder itself was created or replaced. */
const checkMs = 5_000;
const pollMs = 2_000;
/** Minimum pause between polls, as a multiple of the duration of a poll. */
const pauseFactor = 20;

/**
 * Reports changes in a folder. Watches the folder and not its files, because Amp replaces files by renaming. If the
 * operating system reports no changes (network folders, Windows folders in WSL), polls sizes and times instead.
 */
export class FolderWatcher implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly coalescer: Coalescer;
  /** Names of changed files. Undefined if any file may have changed. */
  private changedNames: Set<string> | undefined = new Set();
  private watcher: FSWatcher | undefined;
  private folderIdentity: string | undefined;
  /** Size, time and inode at the last poll, by file name. Undefined while there is no polling. */
  private polledStamps: Map<string, string> | undefined;
  private mustPoll = false;
  private hasStarted = false;

  constructor(private readonly deps: FolderWatcherDeps) {
    this.coalescer = this.disposables.add(new Coalescer(deps.clock, coalesceMs, () => this.flush()));
    this.disposables.add({ dispose: () => this.close() });
  }

  /** Resolves when the folder is being watched, or if it does not exist yet. */
  async start(): Promise<void> {
    await this.checkRepeatedly();
    this.hasStarted = true;
  }

  get isPolling(): boolean {
    return this.polledStamps !== undefined;
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async checkRepeatedly(): Promise<void> {
    const startedAt = this.deps.clock.monotonicNow();
    try {
      await this.checkFolder();
    } catch (error) {
      this.deps.log.debug(`Cannot check ${this.deps.folder}: ${messageOf(error)}`);
    }
    const costMs = this.deps.clock.monotonicNow() - startedAt;
    const delayMs = this.isPolling ? Math.max(pollMs, costMs * pauseFactor) : checkMs;
    if (this.disposables.isDisposed) return;
    const timer = this.deps.clock.setTimer(delayMs, () => {
      this.disposables.removeWithoutDisposing(timer);
      void this.checkRepeatedly();
    });
    this.disposables.add(timer);
  }

  private async checkFolder(): Promise<void> {
    const identity = await identityOf(this.deps.folder);
    if (identity !== this.folderIdentity) await this.restartWatching(identity);
    if (this.polledStamps) await this.pollChanges(this.polledStamps);
  }

  /** Call when the folder was created, deleted or replaced. */
  private async restartWatching(identity: string | undefined): Promise<void> {
    this.close();
    this.folderIdentity = identity;
    if (identity !== undefined) {
      const reportsChanges = await (this.deps.reportsChanges ?? systemReportsChanges)(this.deps.folder);
      if (this.disposables.isDisposed) return;
      if (reportsChanges && !this.mustPoll) this.watch();
      if (!this.watcher) this.polledStamps = await this.readStamps();
    }
    // The initial content does not count as a change.
    if (this.hasStarted) this.addChange(undefined);
  }

  private watch(): void {
    try {
      this.watcher = watch(this.deps.folder, { persistent: false }, (_event, name) => {
        if (name === null) this.addChange(undefined);
        else if (this.deps.accepts(name)) this.addChange(name);
      });
      this.watcher.on('error', (error) => this.switchToPolling(error));
    } catch (error) {
      this.switchToPolling(error);
    }
  }

  private switchToPolling(error: unknown): void {
    this.deps.log.info(`Cannot watch ${this.deps.folder}, polling instead: ${messageOf(error)}`);
    this.mustPoll = true;
    this.watcher?.close();
    this.watcher = undefined;
    this.polledStamps ??= new Map();
  }

  private async pollChanges(before: ReadonlyMap<string, string>): Promise<void> {
    const now = await this.readStamps();
    for (const [name, stamp] of now) if (before.get(name) !== stamp) this.addChange(name);
    for (const name of before.keys()) if (!now.has(name)) this.addChange(name);
    if (this.isPolling) this.polledStamps = now;
  }

  private async readStamps(): Promise<Map<string, string>> {
    const { folder, accepts } = this.deps;
    const stamps = new Map<string, string>();
    for (const name of (await readdir(folder)).filter(accepts)) {
      const stats = await stat(path.join(folder, name)).catch(() => undefined);
      if (stats) stamps.set(name, `${stats.size}:${stats.mtimeMs}:${stats.ino}`);
    }
    return stamps;
  }

  private addChange(name: string | undefined): void {
    if (name === undefined) this.changedNames = undefined;
    else this.changedNames?.add(name);
    if (!this.disposables.isDisposed) this.coalescer.schedule();
  }

  private flush(): void {
    const { changedNames } = this;
    this.changedNames = new Set();
    this.deps.onChange(changedNames);
  }

  private close(): void {
    this.watcher?.close();
    this.watcher = undefined;
    this.polledStamps = undefined;
  }
}

async function identityOf(folder: string): Promise<string | undefined> {
  const stats = await stat(folder).catch(() => undefined);
  return stats?.isDirectory() === true ? `${stats.dev}:${stats.ino}` : undefined;
}

/** Values of `statfs` for systems that report no changes: NFS, SMB (three versions), 9P (WSL), FUSE (sshfs). */
const silentTypes: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

async function systemReportsChanges(folder: string): Promise<boolean> {
  if (folder.startsWith('\\\\')) return false;
  if (process.platform !== 'linux') return true;
  try {
    const { type } = await statfs(folder);
    // `type` is signed on some builds of Node.js.
    return !silentTypes.has(type >>> 0);
  } catch {
    return true;
  }
}
