import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { PathCandidate } from './fuzzy';

export interface IndexedFile extends PathCandidate {
  /** Absolute path. */
  readonly path: string;
}

interface FileIndexPorts {
  /** Returns the absolute paths of all workspace files that aren't hidden. */
  readonly listFiles: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly onDidCreate: Event<string>;
  readonly onDidDelete: Event<string>;
  /** Fires when workspace folders or exclude settings have changed. */
  readonly onDidReset: Event<void>;
  /** Returns the path relative to the workspace, with `/`. */
  readonly relative: (path: string) => string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Maximum number of created files added between two listings. A build creates many at once. */
const maxNews = 2_000;
const relistMs = 3_000;

/** The files of the workspace, listed on first use. Updated immediately by file events, and listed again shortly after. */
export class FileIndex implements Disposable {
  private readonly store = new DisposableStore();
  private readonly ended = new AbortController();
  private readonly relistLater: Coalescer;
  private byPath: Map<string, IndexedFile> | undefined;
  private listing: Promise<void> | undefined;
  /** Number of file events during a listing, which may or may not include them. */
  private missed = 0;
  private news = 0;

  constructor(private readonly ports: FileIndexPorts) {
    this.relistLater = this.store.add(new Coalescer(ports.clock, relistMs, () => void this.list()));
  }

  start(): void {
    const { onDidCreate, onDidDelete, onDidReset } = this.ports;
    this.store.add(onDidCreate((path) => this.note(path, true)));
    this.store.add(onDidDelete((path) => this.note(path, false)));
    this.store.add(
      onDidReset(() => {
        this.byPath = undefined;
        this.missed++;
      }),
    );
  }

  /** Returns the files in the order of the listing. The first call waits for it. */
  async files(): Promise<Iterable<IndexedFile>> {
    if (!this.byPath) await this.list();
    return this.byPath?.values() ?? [];
  }

  dispose(): void {
    this.ended.abort();
    this.store.dispose();
  }

  private note(path: string, isThere: boolean): void {
    if (!this.byPath) {
      this.missed++;
      return;
    }
    // Deleting a folder reports only the folder; the next listing drops its files.
    if (!isThere) this.byPath.delete(path);
    else if (++this.news <= maxNews) this.byPath.set(path, this.indexed(path));
    this.relistLater.schedule();
  }

  private list(): Promise<void> {
    this.listing ??= this.listNow().finally(() => (this.listing = undefined));
    return this.listing;
  }

  private async listNow(): Promise<void> {
    const { missed } = this;
    try {
      const paths = await this.ports.listFiles(this.ended.signal);
      this.byPath = new Map(paths.map((path) => [path, this.indexed(path)]));
      this.news = 0;
      if (this.missed !== missed) this.relistLater.schedule();
    } catch (error) {
      if (!this.ended.signal.aborted) this.ports.onError(error);
    }
  }

  private indexed(path: string): IndexedFile {
    const relative = this.ports.relative(path);
    return { path, relative, lower: relative.toLowerCase() };
  }
}
