import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import { hunkKeys, type Hash } from './hunkKeys';
import { hunksBetween, type Hunk } from './hunks';
import type { FileHunks, ReviewSource } from './reviewSource';

/** How many changes of files there are, and how many of them the user has marked as reviewed. */
export interface ReviewCounts {
  readonly total: number;
  readonly reviewed: number;
}

/** What the user has marked as reviewed. Keeping a change is something else. */
export interface ReviewProgress {
  readonly onDidChange: Event<void>;
  /** What was last counted. Undefined if nothing in these files is reviewed, or before they were counted. */
  countsOf(paths: readonly string[]): ReviewCounts | undefined;
  /** Counts now. Never rejects. */
  count(paths: readonly string[]): Promise<ReviewCounts>;
  /** Removes all marks of files that are no longer in the review. Never rejects. */
  forget(paths: readonly string[]): Promise<void>;
}

/** Stores keys of reviewed changes by the path of their file. All windows share them. */
export interface ReviewedKeys {
  /** Fires when another window may have changed them. */
  readonly onDidChange: Event<void>;
  /** Never rejects. */
  of(path: string): Promise<ReadonlySet<string>>;
  /** @throws Error if they cannot be stored */
  change(
    path: string,
    change: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
  ): Promise<void>;
  /** Never rejects. */
  forget(path: string): Promise<void>;
}

type MarkedSource = Pick<ReviewSource, 'formerPaths' | 'onDidChange' | 'paths' | 'texts'>;

interface ReviewedMarksDeps {
  readonly keys: ReviewedKeys;
  readonly hash: Hash;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

interface CountedFile {
  readonly isReviewed: boolean;
  readonly counts: ReviewCounts;
}

const countDelayMs = 300;
/** Counting reads each file, so the changes of more files are only counted when the user asks for it. */
const maxCountedFiles = 1_000;

/** The changes that the user has marked as reviewed. Changes that differ from what was marked are not reviewed. */
export class ReviewedMarks implements ReviewProgress, Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter: Emitter<void>;
  readonly onDidChange: Event<void>;
  private source: MarkedSource | undefined;
  private counted: ReadonlyMap<string, CountedFile> = new Map();
  /** The keys of the changes of each file, and what they were computed from. */
  private readonly computed = new Map<string, { readonly from: string; readonly keys: readonly string[] }>();
  private readonly countCoalescer: Coalescer;
  private isCounting = false;

  constructor(private readonly deps: ReviewedMarksDeps) {
    this.changeEmitter = new Emitter<void>(deps.onError);
    this.onDidChange = this.changeEmitter.event;
    this.countCoalescer = this.disposables.add(new Coalescer(deps.clock, countDelayMs, () => void this.countAll()));
  }

  start(source: MarkedSource): void {
    this.source = source;
    this.disposables.add(source.onDidChange(() => this.countCoalescer.schedule()));
    this.disposables.add(this.deps.keys.onDidChange(() => this.countCoalescer.schedule()));
    this.countCoalescer.schedule();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Call when the user has edited a file. */
  noteEdit(): void {
    this.countCoalescer.schedule();
  }

  /** Returns for each hunk whether it is reviewed. Never rejects. */
  async ofHunks(file: FileHunks): Promise<boolean[]> {
    const marked = await this.deps.keys.of(file.path);
    return marked.size === 0
      ? file.hunks.map(() => false)
      : hunkKeys(file, this.deps.hash).map((key) => marked.has(key));
  }

  /** The hunk can be one that VS Code has computed, in another way. @throws Error if that cannot be stored */
  async setHunkReviewed(file: FileHunks, hunk: Hunk, isReviewed: boolean): Promise<void> {
    const keys = hunkKeys(file, this.deps.hash);
    const chosen = file.hunks.flatMap((one, index) => (doOverlap(one, hunk) ? (keys[index] ?? []) : []));
    await this.change(file.path, chosen, isReviewed);
  }

  /** @throws Error if that cannot be stored */
  async setFileReviewed(path: string, isReviewed: boolean): Promise<void> {
    await this.change(path, await this.keysOf(path), isReviewed);
  }

  /** Whether all changes of the file were reviewed when they were counted last. */
  isFileReviewed(path: string): boolean {
    return this.counted.get(path)?.isReviewed === true;
  }

  /** Whether all changes of the file are reviewed now. Never rejects. */
  async isAllReviewed(path: string): Promise<boolean> {
    return (await this.countFile(path)).isReviewed;
  }

  countsOf(paths: readonly string[]): ReviewCounts | undefined {
    const files = this.withoutFormer(paths).map((path) => this.counted.get(path)?.counts);
    let [reviewed, total] = [0, 0];
    for (const counts of files) {
      if (!counts) return undefined;
      reviewed += counts.reviewed;
      total += counts.total;
    }
    return reviewed === 0 ? undefined : { reviewed, total };
  }

  async count(paths: readonly string[]): Promise<ReviewCounts> {
    let [reviewed, total] = [0, 0];
    for (const path of this.withoutFormer(paths)) {
      const { counts } = await this.countFile(path);
      reviewed += counts.reviewed;
      total += counts.total;
    }
    return { reviewed, total };
  }

  async forget(paths: readonly string[]): Promise<void> {
    for (const path of paths) await this.deps.keys.forget(path);
    this.countCoalescer.schedule();
  }

  private async change(path: string, keys: readonly string[], isReviewed: boolean): Promise<void> {
    await this.deps.keys.change(path, isReviewed ? { add: keys } : { remove: keys });
    // Before the first mark, nothing was counted.
    if (this.counted.size === 0) await this.countAll();
    else {
      const file = await this.countFile(path);
      this.counted = new Map(this.counted).set(path, file);
      if (!this.disposables.isDisposed) this.changeEmitter.fire();
    }
  }

  /** A renamed file is one change, at its new path. */
  private withoutFormer(paths: readonly string[]): string[] {
    const { formerPaths = new Map<string, string>() } = this.source ?? {};
    const former = new Set(paths.flatMap((path) => formerPaths.get(path) ?? []));
    return paths.filter((path) => !former.has(path));
  }

  /** Counts all files, but only if the user has marked something. Never rejects. */
  private async countAll(): Promise<void> {
    if (this.isCounting) {
      this.countCoalescer.schedule();
      return;
    }
    this.isCounting = true;
    try {
      const paths = this.withoutFormer(this.source?.paths ?? []);
      const counted = new Map<string, CountedFile>();
      if (paths.length <= maxCountedFiles && (await this.isAnyMarked(paths))) {
        for (const path of paths) counted.set(path, await this.countFile(path));
      }
      for (const path of this.computed.keys()) if (!counted.has(path)) this.computed.delete(path);
      this.counted = counted;
      if (!this.disposables.isDisposed) this.changeEmitter.fire();
    } finally {
      this.isCounting = false;
    }
  }

  private async isAnyMarked(paths: readonly string[]): Promise<boolean> {
    for (const path of paths) if ((await this.deps.keys.of(path)).size > 0) return true;
    return false;
  }

  private async countFile(path: string): Promise<CountedFile> {
    const marked = await this.deps.keys.of(path);
    const keys = await this.keysOf(path);
    const reviewed = keys.filter((key) => marked.has(key)).length;
    return { isReviewed: reviewed === keys.length, counts: { reviewed, total: keys.length } };
  }

  /** Returns the keys of all changes of a file: one for the whole file if it has no lines to compare. Never rejects. */
  private async keysOf(path: string): Promise<readonly string[]> {
    const { hash } = this.deps;
    const texts = await this.source?.texts(path).catch(this.deps.onError);
    const { baseline, state = '', text } = texts ?? {};
    const from = hash(JSON.stringify([baseline ?? null, text ?? null, typeof baseline, typeof text, state]));
    const known = this.computed.get(path);
    if (known?.from === from) return known.keys;
    const seen = { baseline: baseline ?? '', text: text ?? '' };
    const hunks = baseline === undefined || text === undefined ? [] : hunksBetween(seen.baseline, seen.text);
    const keys = hunks.length === 0 ? [from] : hunkKeys({ seen, hunks }, hash);
    this.computed.set(path, { from, keys });
    return keys;
  }
}

/** Whether they share a line, before or after. A hunk has one on at least one side. */
function doOverlap(one: Hunk, other: Hunk): boolean {
  return (['before', 'after'] as const).some((side) => {
    const [start, end] = [Math.max(one[side].start, other[side].start), Math.min(one[side].end, other[side].end)];
    return start < end;
  });
}
