import type { Disposable } from '../../base/common/disposable';
import type { Entry } from './entries';
import type { LoadAnswer, LoadRequest } from './loadRequest';
import type { TranscriptPatch } from './patch';

interface FeedSource {
  readonly size: number;
  slice(start: number, end?: number): Entry[];
  get(id: string): Entry | undefined;
  indexOf(id: string): number;
  turnAlignedStart(end: number, count: number): number;
}

/** Number of entries that a page receives first. */
export const initialEntries = 40;
/** Number of entries that are loaded before and after the entry to which the page jumps. */
const entriesBefore = 20;
const entriesAfter = 40;
/** If the turn has more entries than this before the target, the loaded range does not start with the turn. */
const maxTurnEntriesBefore = 200;
/** About how many entries a page keeps on the other side of its reader when more are loaded on one side. */
const keptEntries = 360;

/**
 * Collects changes of a transcript for one page. The page has a range of the entries: either the last entries and all
 * new ones, or entries farther up. To limit the memory of the page, it does not keep entries that are far from its reader.
 */
export class TranscriptFeed implements Disposable {
  private needsReset = true;
  private readonly changedIds = new Set<string>();
  private readonly appendedTexts = new Map<string, string[]>();
  private readonly removedIds = new Set<string>();
  private haveUnloadedCountsChanged = false;
  private firstIndex = 0;
  /** Index after the last entry that the page needs. Undefined while the page follows the end. */
  private endIndex: number | undefined;
  /** What the page has: the entries from `start` to before `end`. It knows of the first `size` entries. */
  private sent = { start: 0, end: 0, size: 0 };

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
      this.firstIndex !== this.sent.start ||
      // New entries are in `changedIds`.
      (this.endIndex ?? this.sent.size) !== this.sent.end
    );
  }

  load(request: LoadRequest): LoadAnswer {
    switch (request.kind) {
      case 'older':
        this.showOlder(request.count, request.keepsAll);
        return { isFound: true };
      case 'later':
        this.showLater(request.count, request.keepsAll);
        return { isFound: true };
      case 'around':
        return { isFound: this.showAround(request.entryId) };
      case 'latest':
        this.restart(initialEntries);
        return { isFound: true };
      case 'unloadOlder':
        this.unloadOlder();
        return { isFound: true };
    }
  }

  /** Adds about `count` earlier entries to the next patch. With `keepsAll`, unloads none of the last ones. */
  showOlder(count: number, keepsAll = false): void {
    this.applyTailCount();
    const { firstIndex } = this;
    this.firstIndex = this.transcriptDocument.turnAlignedStart(firstIndex, count);
    if (!keepsAll) this.unloadFrom(firstIndex + keptEntries);
  }

  /** Adds up to `count` later entries to the next patch. With `keepsAll`, unloads none of the first ones. */
  showLater(count: number, keepsAll = false): void {
    const { endIndex } = this;
    if (endIndex === undefined) return;
    this.setEndIndex(endIndex + count);
    if (!keepsAll) this.unloadBefore(endIndex);
  }

  /** Unloads the first entries if they are many. Call when the reader is at the end. */
  unloadOlder(): void {
    this.applyTailCount();
    if (this.endIndex === undefined) this.unloadBefore(this.rangeEnd);
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
    if (start > rangeEnd || end < firstIndex) {
      this.firstIndex = start;
      this.setEndIndex(end);
    } else if (start < firstIndex) {
      this.firstIndex = start;
      this.unloadFrom(end + keptEntries);
    } else {
      this.setEndIndex(end);
      this.unloadBefore(start);
    }
    return true;
  }

  /** Returns all changes since the last call. The first patch contains the whole range. */
  takePatch(): TranscriptPatch {
    this.applyTailCount();
    const { firstIndex: start, rangeEnd: end, transcriptDocument: source } = this;
    const { sent } = this;
    const isReset = this.needsReset || start > sent.end || end < sent.start;
    const after = source.size - end;
    const counts = { before: start, ...(after > 0 ? { after } : {}) };
    const patch = isReset ? { reset: true, put: source.slice(start, end) } : this.changesOfRange(start, end);
    this.sent = { start, end, size: source.size };
    this.needsReset = false;
    this.changedIds.clear();
    this.appendedTexts.clear();
    this.removedIds.clear();
    this.haveUnloadedCountsChanged = false;
    return { ...patch, ...counts };
  }

  private changesOfRange(start: number, end: number): Omit<TranscriptPatch, 'before' | 'after'> {
    const { transcriptDocument: source, sent } = this;
    const kept = source.slice(Math.max(start, sent.start), Math.min(end, sent.end));
    const changed = kept.filter(({ id }) => this.changedIds.has(id));
    const append = kept.flatMap(({ id }) => {
      const texts = this.appendedTexts.get(id);
      return texts ? { id, text: texts.join('') } : [];
    });
    const unload = [...source.slice(sent.start, start), ...source.slice(Math.max(end, sent.start), sent.end)];
    const older = source.slice(start, Math.min(sent.start, end));
    const later = source.slice(Math.max(sent.end, start), Math.min(sent.size, end));
    const put = [...changed, ...source.slice(Math.max(sent.size, start), end)];
    return {
      ...(this.removedIds.size > 0 ? { remove: [...this.removedIds] } : {}),
      ...(unload.length > 0 ? { unload: unload.map(({ id }) => id) } : {}),
      ...(put.length > 0 ? { put } : {}),
      ...(append.length > 0 ? { append } : {}),
      ...(older.length > 0 ? { older } : {}),
      ...(later.length > 0 ? { later } : {}),
    };
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
    this.appendedTexts.delete(id);
  }

  didPrepend(count: number): void {
    this.firstIndex += count;
    if (this.endIndex !== undefined) this.endIndex += count;
    const { start, end, size } = this.sent;
    this.sent = { start: start + count, end: end + count, size: size + count };
    this.haveUnloadedCountsChanged = true;
  }

  didAppend(id: string, text: string): void {
    if (this.needsReset || this.changedIds.has(id)) return;
    const texts = this.appendedTexts.get(id);
    if (texts) texts.push(text);
    else this.appendedTexts.set(id, [text]);
  }

  didRemove(id: string, index: number): void {
    if (index < this.firstIndex) this.firstIndex--;
    const isAfter = this.endIndex !== undefined && index >= this.endIndex;
    this.setEndIndex(this.endIndex === undefined || isAfter ? this.endIndex : this.endIndex - 1);
    this.changedIds.delete(id);
    this.appendedTexts.delete(id);
    const { start, end, size } = this.sent;
    if (index >= start && index < end) this.removedIds.add(id);
    else this.haveUnloadedCountsChanged = true;
    const shifted = (at: number): number => (index < at ? at - 1 : at);
    this.sent = { start: shifted(start), end: shifted(end), size: shifted(size) };
  }

  dispose(): void {
    this.onDispose();
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

  private unloadFrom(index: number): void {
    if (index < this.rangeEnd) this.setEndIndex(index);
  }

  /** Unloads what is more than `keptEntries` before an index, and no part of the turn that remains. */
  private unloadBefore(index: number): void {
    this.firstIndex = Math.max(this.firstIndex, this.transcriptDocument.turnAlignedStart(index, keptEntries));
  }

  /** Returns the index at which the entry's turn starts, unless that is too far away. */
  private turnStartIndex(index: number): number {
    const near = this.transcriptDocument.slice(Math.max(0, index - maxTurnEntriesBefore), index + 1);
    const turn = near.at(-1)?.turn;
    const other = near.findLastIndex((entry) => entry.turn !== turn);
    return other < 0 && index > maxTurnEntriesBefore ? index : index - (near.length - 2 - other);
  }
}
