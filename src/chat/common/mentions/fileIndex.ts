import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { Event } from '../../../base/common/event';
import type { PathCandidate } from './fuzzy';

export interface IndexedFile extends PathCandidate {
  /** Absolute. */
  readonly path: string;
}

interface FileIndexPorts {
  /** All files of the workspace that are not hidden, absolute. */
  readonly listFiles: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly onDidCreate: Event<string>;
  readonly onDidDelete: Event<string>;
  /** What is listed may be quite another now: other folders, other settings. */
  readonly onDidReset: Event<void>;
  /** How a path is called in the workspace, with `/`. */
  readonly relative: (path: string) => string;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Building a project makes many files at once, most of them no one asks for. */
const maxNews = 2_000;
const relistMs = 3_000;

/**
 * The files of the workspace, listed when somebody first asks. Single files that come and go are noted at once; the list is
 * made again a little after, in the background.
 */
export class FileIndex implements Disposable {
  private readonly store = new DisposableStore();
  private readonly ended = new AbortController();
  private readonly relistLater: Coalescer;
  private byPath: Map<string, IndexedFile> | undefined;
  private listing: Promise<void> | undefined;
  /** What came or went while the list was made; it may hold that or not. */
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

  /** In the order of the listing. The first call waits for it. */
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
    // A folder goes as a whole, and only the watcher of the list knows what was in it.
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
