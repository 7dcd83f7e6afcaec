import { watch, type FSWatcher } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import * as path from 'node:path';
import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';

export interface FolderWatchOptions {
  /** Absolute; it need not be there yet. */
  readonly folder: string;
  /** Which files are looked at. */
  readonly accepts: (name: string) => boolean;
  /** Names that have changed; undefined when anything may have. */
  readonly onChange: (names: ReadonlySet<string> | undefined) => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether the system tells of changes there. */
  readonly tellsChanges?: (folder: string) => Promise<boolean>;
}

const coalesceMs = 250;
/** How often the folder itself is looked for: it may come later, and be replaced. */
const checkMs = 5_000;
const pollMs = 2_000;
/** A slow folder is polled less often: for each millisecond that it takes, so many are waited. */
const pauseForCost = 20;

/**
 * Tells what changes in a folder. The folder is watched, not its files: each of them is replaced by rename. Where the
 * system does not tell (network folders, Windows folders in WSL), sizes and times are compared instead.
 */
export class FolderWatch implements Disposable {
  private readonly store = new DisposableStore();
  private readonly coalescer: Coalescer;
  private changed: Set<string> | undefined = new Set();
  private watcher: FSWatcher | undefined;
  private identity: string | undefined;
  private polled: Map<string, string> | undefined;
  private mustPoll = false;
  private hasStarted = false;

  constructor(private readonly options: FolderWatchOptions) {
    this.coalescer = this.store.add(new Coalescer(options.clock, coalesceMs, () => this.flush()));
    this.store.add({ dispose: () => this.close() });
  }

  /** Resolves when it watches, or knows that there is nothing to watch yet. */
  async start(): Promise<void> {
    await this.check();
    this.hasStarted = true;
  }

  get isPolling(): boolean {
    return this.polled !== undefined;
  }

  dispose(): void {
    this.store.dispose();
  }

  private async check(): Promise<void> {
    const startedAt = this.options.clock.monotonicNow();
    try {
      await this.look();
    } catch (error) {
      this.options.log.debug(`Cannot look at ${this.options.folder}: ${messageOf(error)}`);
    }
    const costMs = this.options.clock.monotonicNow() - startedAt;
    const delayMs = this.isPolling ? Math.max(pollMs, costMs * pauseForCost) : checkMs;
    if (this.store.isDisposed) return;
    const timer = this.options.clock.setTimer(delayMs, () => {
      this.store.release(timer);
      void this.check();
    });
    this.store.add(timer);
  }

  private async look(): Promise<void> {
    const identity = await identityOf(this.options.folder);
    if (identity !== this.identity) await this.follow(identity);
    if (this.polled) await this.poll(this.polled);
  }

  /** The folder is there, or gone, or another one. */
  private async follow(identity: string | undefined): Promise<void> {
    this.close();
    this.identity = identity;
    if (identity !== undefined) {
      const tells = await (this.options.tellsChanges ?? systemTellsChanges)(this.options.folder);
      if (this.store.isDisposed) return;
      if (tells && !this.mustPoll) this.watch();
      if (!this.watcher) this.polled = await this.scan();
    }
    // What is there at the start is no news.
    if (this.hasStarted) this.note(undefined);
  }

  private watch(): void {
    try {
      this.watcher = watch(this.options.folder, { persistent: false }, (_event, name) => {
        if (name === null) this.note(undefined);
        else if (this.options.accepts(name)) this.note(name);
      });
      this.watcher.on('error', (error) => this.fallBack(error));
    } catch (error) {
      this.fallBack(error);
    }
  }

  private fallBack(error: unknown): void {
    this.options.log.info(
      `The system does not tell of changes in ${this.options.folder}, polling: ${messageOf(error)}`,
    );
    this.mustPoll = true;
    this.watcher?.close();
    this.watcher = undefined;
    this.polled ??= new Map();
  }

  private async poll(before: ReadonlyMap<string, string>): Promise<void> {
    const now = await this.scan();
    for (const [name, stamp] of now) if (before.get(name) !== stamp) this.note(name);
    for (const name of before.keys()) if (!now.has(name)) this.note(name);
    if (this.isPolling) this.polled = now;
  }

  private async scan(): Promise<Map<string, string>> {
    const { folder, accepts } = this.options;
    const stamps = new Map<string, string>();
    for (const name of (await readdir(folder)).filter(accepts)) {
      const found = await stat(path.join(folder, name)).catch(() => undefined);
      if (found) stamps.set(name, `${found.size}:${found.mtimeMs}:${found.ino}`);
    }
    return stamps;
  }

  private note(name: string | undefined): void {
    if (name === undefined) this.changed = undefined;
    else this.changed?.add(name);
    if (!this.store.isDisposed) this.coalescer.schedule();
  }

  private flush(): void {
    const { changed } = this;
    this.changed = new Set();
    this.options.onChange(changed);
  }

  private close(): void {
    this.watcher?.close();
    this.watcher = undefined;
    this.polled = undefined;
  }
}

async function identityOf(folder: string): Promise<string | undefined> {
  try {
    const found = await stat(folder);
    return found.isDirectory() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** NFS, SMB (three generations), 9P as of WSL, FUSE as of sshfs. */
const silentSystems: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

async function systemTellsChanges(folder: string): Promise<boolean> {
  if (folder.startsWith('\\\\')) return false;
  if (process.platform !== 'linux') return true;
  try {
    const { type } = await statfs(folder);
    // Signed on some builds.
    return !silentSystems.has(type >>> 0);
  } catch {
    return true;
  }
}
