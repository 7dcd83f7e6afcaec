import type { Disposable } from '../../base/common/disposable';
import type { Entry } from './entries';
import type { TranscriptPatch } from './patch';

interface FeedSource {
  readonly size: number;
  slice(start: number, end?: number): Entry[];
  get(id: string): Entry | undefined;
  indexOf(id: string): number;
  turnAlignedStart(end: number, count: number): number;
}

/** Number of entries that are loaded before and after the entry to which the page jumps. */
const entriesBefore = 20;
const entriesAfter = 40;
/** If the turn has more entries than this before the target, the loaded range does not start with the turn. */
const maxTurnEntriesBefore = 200;

/**
 * Collects changes of a transcript for one page. The page has a range of the entries: either the last entries and all
 * new ones, or the entries around one to which it has jumped.
 */
export class TranscriptFeed implements Disposable {
  private needsReset = true;
  private readonly changedIds = new Set<string>();
  private readonly appendedTexts = new Map<string, string[]>();
  private readonly removedIds = new Set<string>();
  private readonly olderIds = new Set<string>();
  private readonly laterIds = new Set<string>();
  private haveUnloadedCountsChanged = false;
  /** Index after the last entry that the page has. Undefined while the page follows the end. */
  private endIndex: number | undefined;

  private firstIndex = 0;

  /** `tail` is the number of entries to send first. It becomes undefined when they were sent. */
  constructor(
    private readonly transcriptDocument: FeedSource,
    private tailCount: number | undefined,
    private readonly onDispose: () => void,
  ) {}

  get hasChanges(): boolean {
    return (
      this.needsReset ||
      this.haveUnloadedCountsChanged ||
      this.changedIds.size > 0 ||
      this.appendedTexts.size > 0 ||
      this.removedIds.size > 0 ||
      this.olderIds.size > 0 ||
      this.laterIds.size > 0
    );
  }

  /** Adds about `count` earlier entries to the next patch. */
  showOlder(count: number): void {
    this.applyTailCount();
    this.extendStartTo(this.transcriptDocument.turnAlignedStart(this.firstIndex, count));
  }

  showLater(count: number): void {
    if (this.endIndex === undefined) return;
    const start = this.endIndex;
    this.setEndIndex(start + count);
    this.addIdsOfRange(this.laterIds, start, this.endIndex);
  }

  /**
   * Adds the entries around an entry to the next patch. They replace the loaded range unless the two ranges are
   * adjacent. Returns false if there is no such entry.
   */
  showAround(id: string): boolean {
    const index = this.transcriptDocument.indexOf(id);
    if (index < 0) return false;
    this.applyTailCount();
    const { firstIndex, rangeEnd } = this;
    if (index >= firstIndex && index < rangeEnd) return true;
    const start = Math.max(0, Math.min(index - entriesBefore, this.turnStartIndex(index)));
    const end = index + entriesAfter;
    if (start <= rangeEnd && end >= firstIndex) {
      if (start < firstIndex) this.extendStartTo(start);
      if (end > rangeEnd) this.showLater(end - rangeEnd);
      return true;
    }
    this.needsReset = true;
    this.firstIndex = start;
    this.setEndIndex(end);
    return true;
  }

  /** Returns all changes since the last call. The first patch contains the whole range. */
  takePatch(): TranscriptPatch {
    this.applyTailCount();
    const shown = this.transcriptDocument.slice(this.firstIndex, this.endIndex);
    const after = this.transcriptDocument.size - this.rangeEnd;
    const counts = { before: this.firstIndex, ...(after > 0 ? { after } : {}) };
    if (this.needsReset) {
      this.clearChanges();
      this.needsReset = false;
      return { reset: true, put: shown, ...counts };
    }
    const older = shown.filter(({ id }) => this.olderIds.has(id));
    const later = shown.filter(({ id }) => this.laterIds.has(id));
    const isNew = (id: string): boolean => this.olderIds.has(id) || this.laterIds.has(id);
    const put = shown.filter(({ id }) => this.changedIds.has(id) && !isNew(id));
    const append = [...this.appendedTexts].flatMap(([id, texts]) => (isNew(id) ? [] : { id, text: texts.join('') }));
    const patch: TranscriptPatch = {
      ...(this.removedIds.size > 0 ? { remove: [...this.removedIds] } : {}),
      ...(put.length > 0 ? { put } : {}),
      ...(append.length > 0 ? { append } : {}),
      ...(older.length > 0 ? { older } : {}),
      ...(later.length > 0 ? { later } : {}),
      ...counts,
    };
    this.clearChanges();
    return patch;
  }

  /** Makes the next patch contain everything: about `tail` entries from the end, or the current range. */
  restart(tailCount?: number): void {
    const { size } = this.transcriptDocument;
    this.needsReset = true;
    this.firstIndex = Math.min(this.firstIndex, size);
    this.setEndIndex(tailCount === undefined ? this.endIndex : undefined);
    this.tailCount = tailCount ?? this.tailCount;
  }

  didPut(id: string): void {
    if (this.needsReset) return;
    this.changedIds.add(id);
    this.removedIds.delete(id);
    this.appendedTexts.delete(id);
  }

  didPrepend(count: number): void {
    this.firstIndex += count;
    if (this.endIndex !== undefined) this.endIndex += count;
    this.haveUnloadedCountsChanged = true;
  }

  didAppend(id: string, text: string): void {
    if (this.needsReset || this.changedIds.has(id)) return;
    const texts = this.appendedTexts.get(id);
    if (texts) texts.push(text);
    else this.appendedTexts.set(id, [text]);
  }

  didRemove(id: string, index: number): void {
    const isBefore = index < this.firstIndex;
    const isAfter = this.endIndex !== undefined && index >= this.endIndex;
    if (isBefore) this.firstIndex--;
    this.setEndIndex(this.endIndex === undefined || isAfter ? this.endIndex : this.endIndex - 1);
    this.changedIds.delete(id);
    this.appendedTexts.delete(id);
    if (isBefore || isAfter) this.haveUnloadedCountsChanged = true;
    // Entries that were not sent need not be removed.
    else if (!this.olderIds.delete(id) && !this.laterIds.delete(id) && !this.needsReset) this.removedIds.add(id);
  }

  dispose(): void {
    this.onDispose();
  }

  private extendStartTo(start: number): void {
    this.addIdsOfRange(this.olderIds, start, this.firstIndex);
    this.firstIndex = start;
  }

  /** Called as late as possible, because entries may arrive after the feed was created. */
  private applyTailCount(): void {
    if (this.tailCount !== undefined)
      this.firstIndex = this.transcriptDocument.turnAlignedStart(this.transcriptDocument.size, this.tailCount);
    this.tailCount = undefined;
  }

  private get rangeEnd(): number {
    return this.endIndex ?? this.transcriptDocument.size;
  }

  private setEndIndex(end: number | undefined): void {
    this.endIndex = end === undefined || end >= this.transcriptDocument.size ? undefined : end;
  }

  /** Returns the index at which the entry's turn starts, unless that is too far away. */
  private turnStartIndex(index: number): number {
    const near = this.transcriptDocument.slice(Math.max(0, index - maxTurnEntriesBefore), index + 1);
    const turn = near.at(-1)?.turn;
    const other = near.findLastIndex((entry) => entry.turn !== turn);
    return other < 0 && index > maxTurnEntriesBefore ? index : index - (near.length - 2 - other);
  }

  /** Stores the ids of a range. Their entries are read when the patch is taken. */
  private addIdsOfRange(target: Set<string>, start: number, end?: number): void {
    for (const { id } of this.transcriptDocument.slice(start, end)) target.add(id);
  }

  private clearChanges(): void {
    this.changedIds.clear();
    this.appendedTexts.clear();
    this.removedIds.clear();
    this.olderIds.clear();
    this.laterIds.clear();
    this.haveUnloadedCountsChanged = false;
  }
}
