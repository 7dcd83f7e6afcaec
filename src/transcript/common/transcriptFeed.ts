import type { Disposable } from '../../base/common/disposable';
import type { Entry } from './entries';
import type { TranscriptPatch } from './patch';

/** The part of a transcript that a feed needs. */
interface FollowedDocument {
  readonly size: number;
  slice(start: number, end?: number): Entry[];
  get(id: string): Entry | undefined;
  indexOf(id: string): number;
  startOfPage(end: number, count: number): number;
}

/** How many entries are loaded before and after an entry that the page goes to. */
const countBefore = 20;
const countAfter = 40;
/** With more entries of the turn than this before the target, the page does not start with the turn. */
const maxBefore = 200;

/**
 * Collects changes of a transcript for one page. The page has a range of the entries: the last ones and all new ones,
 * or those around an entry that it went to.
 */
export class TranscriptFeed implements Disposable {
  private isFresh = true;
  private readonly changed = new Set<string>();
  private readonly appended = new Map<string, string[]>();
  private readonly removed = new Set<string>();
  private readonly older = new Set<string>();
  private readonly later = new Set<string>();
  private hasOtherCounts = false;
  /** Index after the last entry of the page; undefined while the page follows the end. */
  private end: number | undefined;

  /** Index of the first entry of the page. */
  private first = 0;

  /** `tail` is the number of entries to start with; undefined once they were sent. */
  constructor(
    private readonly document: FollowedDocument,
    private tail: number | undefined,
    private readonly onDispose: () => void,
  ) {}

  /** Whether `take` would return any changes. */
  get hasNews(): boolean {
    return (
      this.isFresh ||
      this.hasOtherCounts ||
      this.changed.size > 0 ||
      this.appended.size > 0 ||
      this.removed.size > 0 ||
      this.older.size > 0 ||
      this.later.size > 0
    );
  }

  /** Adds about `count` entries before the range to the next patch. */
  showOlder(count: number): void {
    this.findTail();
    this.beginAt(this.document.startOfPage(this.first, count));
  }

  /** Adds `count` entries after the range to the next patch. */
  showLater(count: number): void {
    if (this.end === undefined) return;
    const start = this.end;
    this.setEnd(start + count);
    this.include(this.later, start, this.end);
  }

  /**
   * Moves to an entry: the next patch contains the entries around it. They replace the loaded range unless both are
   * adjacent. Returns false when there is no such entry.
   */
  showAround(id: string): boolean {
    const index = this.document.indexOf(id);
    if (index < 0) return false;
    this.findTail();
    const { first, last } = this;
    if (index >= first && index < last) return true;
    const start = Math.max(0, Math.min(index - countBefore, this.turnStart(index)));
    const end = index + countAfter;
    if (start <= last && end >= first) {
      if (start < first) this.beginAt(start);
      if (end > last) this.showLater(end - last);
      return true;
    }
    this.isFresh = true;
    this.first = start;
    this.setEnd(end);
    return true;
  }

  /** Returns all changes since the last call. The first patch contains the whole range. */
  take(): TranscriptPatch {
    this.findTail();
    const shown = this.document.slice(this.first, this.end);
    const after = this.document.size - this.last;
    const counts = { before: this.first, ...(after > 0 ? { after } : {}) };
    if (this.isFresh) {
      this.forget();
      this.isFresh = false;
      return { reset: true, put: shown, ...counts };
    }
    const older = shown.filter(({ id }) => this.older.has(id));
    const later = shown.filter(({ id }) => this.later.has(id));
    const isNew = (id: string): boolean => this.older.has(id) || this.later.has(id);
    const put = shown.filter(({ id }) => this.changed.has(id) && !isNew(id));
    const append = [...this.appended].flatMap(([id, texts]) => (isNew(id) ? [] : { id, text: texts.join('') }));
    const patch: TranscriptPatch = {
      ...(this.removed.size > 0 ? { remove: [...this.removed] } : {}),
      ...(put.length > 0 ? { put } : {}),
      ...(append.length > 0 ? { append } : {}),
      ...(older.length > 0 ? { older } : {}),
      ...(later.length > 0 ? { later } : {}),
      ...counts,
    };
    this.forget();
    return patch;
  }

  /** Makes the next patch contain everything: about the last `tail` entries, or the current range without `tail`. */
  restart(tail?: number): void {
    const { size } = this.document;
    this.isFresh = true;
    this.first = Math.min(this.first, size);
    this.setEnd(tail === undefined ? this.end : undefined);
    this.tail = tail ?? this.tail;
  }

  didPut(id: string): void {
    if (this.isFresh) return;
    this.changed.add(id);
    this.removed.delete(id);
    this.appended.delete(id);
  }

  didPrepend(count: number): void {
    this.first += count;
    if (this.end !== undefined) this.end += count;
    this.hasOtherCounts = true;
  }

  didAppend(id: string, text: string): void {
    if (this.isFresh || this.changed.has(id)) return;
    const texts = this.appended.get(id);
    if (texts) texts.push(text);
    else this.appended.set(id, [text]);
  }

  /** `index` is its former index. */
  didRemove(id: string, index: number): void {
    const isBefore = index < this.first;
    const isAfter = this.end !== undefined && index >= this.end;
    if (isBefore) this.first--;
    this.setEnd(this.end === undefined || isAfter ? this.end : this.end - 1);
    this.changed.delete(id);
    this.appended.delete(id);
    if (isBefore || isAfter) this.hasOtherCounts = true;
    // Entries that were not sent need no removal.
    else if (!this.older.delete(id) && !this.later.delete(id) && !this.isFresh) this.removed.add(id);
  }

  dispose(): void {
    this.onDispose();
  }

  /** Extends the range to `start`, which is not after its current start. */
  private beginAt(start: number): void {
    this.include(this.older, start, this.first);
    this.first = start;
  }

  /** Resolved late, since entries may arrive after the feed was created. */
  private findTail(): void {
    if (this.tail !== undefined) this.first = this.document.startOfPage(this.document.size, this.tail);
    this.tail = undefined;
  }

  private get last(): number {
    return this.end ?? this.document.size;
  }

  private setEnd(end: number | undefined): void {
    this.end = end === undefined || end >= this.document.size ? undefined : end;
  }

  /** Returns the index where the entry's turn starts, unless that is too far away. */
  private turnStart(index: number): number {
    const near = this.document.slice(Math.max(0, index - maxBefore), index + 1);
    const turn = near.at(-1)?.turn;
    const other = near.findLastIndex((entry) => entry.turn !== turn);
    return other < 0 && index > maxBefore ? index : index - (near.length - 2 - other);
  }

  /** Remembers the ids of a range; their entries are read when the patch is taken. */
  private include(ids: Set<string>, start: number, end?: number): void {
    for (const { id } of this.document.slice(start, end)) ids.add(id);
  }

  private forget(): void {
    this.changed.clear();
    this.appended.clear();
    this.removed.clear();
    this.older.clear();
    this.later.clear();
    this.hasOtherCounts = false;
  }
}
