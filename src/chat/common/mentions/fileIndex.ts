import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { PathCandidate } from './fuzzy';

export interface IndexedFile extends PathCandidate {
  /** Absolute path of the file. */
  readonly path: string;
}

interface FileIndexPorts {
  /** Returns the absolute paths of all workspace files that aren't hidden. */
  readonly listFiles: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly onDidCreate: Event<string>;
  readonly onDidDelete: Event<string>;
  /** Fires when workspace folders or exclude settings have changed. */
  readonly onDidReset: Event<void>;
  /** Returns the path relative to the workspace, with `/` as separator. */
  readonly relative: (path: string) => string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Maximum number of new files that are added between two listings, because a build creates many files at once. */
const maxAdded = 2_000;
const relistMs = 3_000;

/** The files of the workspace, listed on first use. File events update them at once; a new listing follows. */
export class FileIndex implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly lifetimeController = new AbortController();
  private readonly relistCoalescer: Coalescer;
  private fileByPath: Map<string, IndexedFile> | undefined;
  private runningListing: Promise<void> | undefined;
  /** Number of file events during a listing. The listing may or may not include their files. */
  private eventCountDuringListing = 0;
  private addedCount = 0;

  constructor(private readonly ports: FileIndexPorts) {
    this.relistCoalescer = this.disposables.add(new Coalescer(ports.clock, relistMs, () => void this.listFiles()));
  }

  start(): void {
    const { onDidCreate, onDidDelete, onDidReset } = this.ports;
    this.disposables.add(onDidCreate((path) => this.applyFileEvent(path, true)));
    this.disposables.add(onDidDelete((path) => this.applyFileEvent(path, false)));
    this.disposables.add(
      onDidReset(() => {
        this.fileByPath = undefined;
        this.eventCountDuringListing++;
      }),
    );
  }

  /** Returns the files in the order of the listing. The first call waits for the listing. */
  async files(): Promise<Iterable<IndexedFile>> {
    if (!this.fileByPath) await this.listFiles();
    return this.fileByPath?.values() ?? [];
  }

  dispose(): void {
    this.lifetimeController.abort();
    this.disposables.dispose();
  }

  private applyFileEvent(path: string, isThere: boolean): void {
    if (!this.fileByPath) {
      this.eventCountDuringListing++;
      return;
    }
    // When a folder is deleted, there is an event only for the folder. The next listing drops its files.
    if (!isThere) this.fileByPath.delete(path);
    else if (++this.addedCount <= maxAdded) this.fileByPath.set(path, this.toIndexedFile(path));
    this.relistCoalescer.schedule();
  }

  private listFiles(): Promise<void> {
    this.runningListing ??= this.listNow().finally(() => (this.runningListing = undefined));
    return this.runningListing;
  }

  private async listNow(): Promise<void> {
    const { eventCountDuringListing } = this;
    try {
      const paths = await this.ports.listFiles(this.lifetimeController.signal);
      this.fileByPath = new Map(paths.map((path) => [path, this.toIndexedFile(path)]));
      this.addedCount = 0;
      if (this.eventCountDuringListing !== eventCountDuringListing) this.relistCoalescer.schedule();
    } catch (error) {
      if (!this.lifetimeController.signal.aborted) this.ports.onError(error);
    }
  }

  private toIndexedFile(path: string): IndexedFile {
    const relative = this.ports.relative(path);
    return { path, relative, lower: relative.toLowerCase() };
  }
}
