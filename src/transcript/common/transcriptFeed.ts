import type { Disposable } from '../../base/common/disposable';
import type { Entry } from './entries';
import type { EntryOutline } from './entryStore';
import type { LoadAnswer, LoadRequest } from './loadRequest';
import type { TranscriptPatch } from './patch';

/** The transcript. Steps belong to the top-level entry that they are inside of, wherever they are in the transcript. */
interface FeedSource {
  readonly topLevelCount: number;
  sliceTopLevel(start: number, end?: number): Entry[];
  idsOfTopLevel(start: number, end?: number): string[];
  get(id: string): Entry | undefined;
  topLevelIndexOf(id: string): number;
  topLevelIdAt(index: number): string | undefined;
  topLevelOutlines(start: number, end?: number): EntryOutline[];
  turnAlignedStart(end: number, count: number): number;
}

/** A range by its entries, which stays valid if the order changes. Without `last`, it includes all new entries. */
export interface EntryRange {
  readonly first: string | undefined;
  readonly last: string | undefined;
}

// All numbers below are of top-level entries.

/** Number of entries that a page receives first. */
export const initialEntryCount = 40;
/** Number of entries that are loaded before and after the entry to which the page jumps. */
const jumpCountBefore = 20;
const jumpCountAfter = 40;
/** If the turn has more entries than this before the target, the loaded range does not start with the turn. */
const maxTurnCountBefore = 200;
/** About how many entries a page keeps before and after its reader when others are loaded or added. */
const keptCount = 360;
const maxLoadCount = 1_000;
/** Maximum number of entries after the range that are reported in one patch. */
const maxReportedCount = 20;

/**
 * Collects changes of a transcript for one page. The page has a range of the top-level entries with their steps: either the last
 * entries and all new ones, or entries farther up. To limit the memory of the page, it does not keep entries that are far
 * from its reader.
 */
export class TranscriptFeed implements Disposable {
  private needsReset = true;
  private readonly changedIds = new Set<string>();
  private readonly appendedTexts = new Map<string, string[]>();
  private readonly removedIds = new Set<string>();
  private haveUnloadedCountsChanged = false;
  private firstIndex = 0;
  /** Index after the last entry that the page needs. Undefined while it needs the last entry and all new ones. */
  private endIndex: number | undefined;
  /** At the last patch: the range of the page, and the number of entries in the transcript. */
  private sent = { start: 0, end: 0, size: 0 };

  /** `tailCount` is the number of entries to send first. It becomes undefined when they were sent. */
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
        this.restart(initialEntryCount);
        return { isFound: true };
      case 'unloadFar':
        return { isFound: this.unloadFarFrom(request.entryId) };
    }
  }

  /** Adds about `count` earlier entries to the next patch. With `keepsAll`, unloads none of the last ones. */
  showOlder(count: number, keepsAll = false): void {
    this.applyTailCount();
    const { firstIndex } = this;
    this.firstIndex = this.transcriptDocument.turnAlignedStart(firstIndex, limitCount(count));
    if (!keepsAll && this.firstIndex < firstIndex) this.unloadFrom(firstIndex + keptCount);
  }

  /** Adds up to `count` later entries to the next patch. With `keepsAll`, unloads none of the first ones. */
  showLater(count: number, keepsAll = false): void {
    const { endIndex } = this;
    if (endIndex === undefined) return;
    this.setEndIndex(endIndex + limitCount(count));
    if (!keepsAll) this.unloadBefore(endIndex);
  }

  /** Unloads the entries that are far from an entry. Returns false if there is no such entry. */
  unloadFarFrom(id: string): boolean {
    const index = this.transcriptDocument.topLevelIndexOf(id);
    this.applyTailCount();
    if (index < this.firstIndex || index >= this.rangeEnd) return false;
    this.unloadBefore(index);
    this.unloadFrom(index + keptCount);
    return true;
  }

  /**
   * Adds the entries around an entry to the next patch. They replace the loaded range unless the two ranges are
   * adjacent. Returns false if there is no such entry.
   */
  showAround(id: string): boolean {
    const index = this.transcriptDocument.topLevelIndexOf(id);
    if (index < 0) return false;
    this.applyTailCount();
    const { firstIndex, rangeEnd } = this;
    if (index >= firstIndex && index < rangeEnd) return true;
    const start = Math.max(0, Math.min(index - jumpCountBefore, this.turnStartIndex(index)));
    const end = index + jumpCountAfter;
    if (start > rangeEnd || end < firstIndex) {
      this.firstIndex = start;
      this.setEndIndex(end);
    } else if (start < firstIndex) {
      this.firstIndex = start;
      this.unloadFrom(end + keptCount);
    } else {
      this.setEndIndex(end);
      this.unloadBefore(start);
    }
    return true;
  }

  /** Returns all changes since the last call. The first patch contains the whole range. */
  takePatch(): TranscriptPatch {
    this.applyTailCount();
    const { firstIndex: start, needsReset, rangeEnd: end, sent, transcriptDocument: source } = this;
    const isReset = needsReset || start > sent.end || end < sent.start;
    const after = source.topLevelCount - end;
    const patch: TranscriptPatch = {
      ...(isReset ? { reset: true, put: source.sliceTopLevel(start, end) } : this.changesOfRange(start, end)),
      ...(needsReset ? {} : this.describeAddedAfter(end)),
      before: start,
      ...(after > 0 ? { after } : {}),
    };
    this.sent = { start, end, size: source.topLevelCount };
    this.needsReset = false;
    this.changedIds.clear();
    this.appendedTexts.clear();
    this.removedIds.clear();
    this.haveUnloadedCountsChanged = false;
    return patch;
  }

  private changesOfRange(start: number, end: number): Omit<TranscriptPatch, 'before' | 'after'> {
    const { transcriptDocument: source, sent } = this;
    /** Whether the page had the entry, or the one that it is a step of, and keeps it. */
    const isKept = (id: string): boolean => {
      const index = source.topLevelIndexOf(id);
      return index >= Math.max(start, sent.start) && index < Math.min(end, sent.end);
    };
    const changed = [...this.changedIds].filter(isKept).flatMap((id) => source.get(id) ?? []);
    const append = [...this.appendedTexts].flatMap(([id, texts]) => (isKept(id) ? { id, text: texts.join('') } : []));
    const unload = [
      ...source.idsOfTopLevel(sent.start, Math.min(start, sent.end)),
      ...source.idsOfTopLevel(Math.max(end, sent.start), sent.end),
    ];
    const older = source.sliceTopLevel(start, Math.min(sent.start, end));
    const later = source.sliceTopLevel(Math.max(sent.end, start), Math.min(sent.size, end));
    const put = [...changed, ...source.sliceTopLevel(Math.max(sent.size, start), end)];
    return {
      ...(this.removedIds.size > 0 ? { remove: [...this.removedIds] } : {}),
      ...(unload.length > 0 ? { unload } : {}),
      ...(put.length > 0 ? { put } : {}),
      ...(append.length > 0 ? { append } : {}),
      ...(older.length > 0 ? { older } : {}),
      ...(later.length > 0 ? { later } : {}),
    };
  }

  /** Describes what was added after the range since the last patch. */
  private describeAddedAfter(end: number): Pick<TranscriptPatch, 'unloadedAddedCount' | 'addedElsewhere'> {
    const { transcriptDocument: source, sent } = this;
    const start = Math.max(end, sent.size);
    if (start >= source.topLevelCount) return {};
    const isReported = ({ kind }: EntryOutline): boolean => ['prompt', 'end', 'notice'].includes(kind);
    const outlines = source.topLevelOutlines(start).filter(isReported).slice(-maxReportedCount);
    const reported = outlines.flatMap(({ id }) => source.get(id) ?? []);
    return {
      unloadedAddedCount: source.topLevelCount - start,
      ...(reported.length > 0 ? { addedElsewhere: reported } : {}),
    };
  }

  /** Makes the next patch contain everything: about `tailCount` entries from the end. */
  restart(tailCount: number): void {
    this.needsReset = true;
    this.setEndIndex(undefined);
    this.tailCount = tailCount;
  }

  get range(): EntryRange {
    const { transcriptDocument: source } = this;
    const last = this.endIndex === undefined ? undefined : source.topLevelIdAt(this.endIndex - 1);
    return { first: source.topLevelIdAt(this.firstIndex), last };
  }

  /** Makes the next patch contain everything in a range. Call when the order of the transcript has changed. */
  restartAt({ first, last }: EntryRange): void {
    const { transcriptDocument: source } = this;
    const indexOf = (id: string | undefined): number => (id === undefined ? -1 : source.topLevelIndexOf(id));
    this.needsReset = true;
    const firstIndex = indexOf(first);
    this.firstIndex = Math.min(firstIndex < 0 ? this.firstIndex : firstIndex, source.topLevelCount);
    const lastIndex = indexOf(last);
    this.setEndIndex(lastIndex < this.firstIndex ? undefined : lastIndex + 1);
  }

  didPut(id: string): void {
    if (this.needsReset) return;
    const index = this.transcriptDocument.topLevelIndexOf(id);
    if (this.isRelevant(index)) {
      this.changedIds.add(id);
      this.appendedTexts.delete(id);
    } else if (index >= this.sent.size) this.haveUnloadedCountsChanged = true;
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
    else if (this.isRelevant(this.transcriptDocument.topLevelIndexOf(id))) this.appendedTexts.set(id, [text]);
  }

  /** `index` is that of the top-level entry before the removal. */
  didRemove(id: string, index: number, isTopLevel: boolean): void {
    this.changedIds.delete(id);
    this.appendedTexts.delete(id);
    const { start, end, size } = this.sent;
    if (index >= start && index < end) this.removedIds.add(id);
    else if (isTopLevel) this.haveUnloadedCountsChanged = true;
    if (!isTopLevel) return;
    if (index < this.firstIndex) this.firstIndex--;
    const isAfter = this.endIndex !== undefined && index >= this.endIndex;
    this.setEndIndex(this.endIndex === undefined || isAfter ? this.endIndex : this.endIndex - 1);
    const shifted = (at: number): number => (index < at ? at - 1 : at);
    this.sent = { start: shifted(start), end: shifted(end), size: shifted(size) };
  }

  dispose(): void {
    this.onDispose();
  }

  /** Called as late as possible, because entries may arrive after the feed was created. */
  private applyTailCount(): void {
    const { topLevelCount } = this.transcriptDocument;
    if (this.tailCount !== undefined)
      this.firstIndex = this.transcriptDocument.turnAlignedStart(topLevelCount, this.tailCount);
    this.tailCount = undefined;
  }

  private get rangeEnd(): number {
    return this.endIndex ?? this.transcriptDocument.topLevelCount;
  }

  private setEndIndex(end: number | undefined): void {
    this.endIndex = end === undefined || end >= this.transcriptDocument.topLevelCount ? undefined : end;
  }

  /** Whether the page has or needs the top-level entry. */
  private isRelevant(index: number): boolean {
    const { sent } = this;
    return (index >= this.firstIndex && index < this.rangeEnd) || (index >= sent.start && index < sent.end);
  }

  private unloadFrom(index: number): void {
    if (index < this.rangeEnd) this.setEndIndex(index);
  }

  /** Unloads what is more than `keptCount` before an index, and no part of the turn that remains. */
  private unloadBefore(index: number): void {
    this.firstIndex = Math.max(this.firstIndex, this.transcriptDocument.turnAlignedStart(index, keptCount));
  }

  /** Returns the index at which the entry's turn starts, unless that is too far away. */
  private turnStartIndex(index: number): number {
    const near = this.transcriptDocument.topLevelOutlines(Math.max(0, index - maxTurnCountBefore), index + 1);
    const turn = near.at(-1)?.turn;
    const other = near.findLastIndex((entry) => entry.turn !== turn);
    return other < 0 && index > maxTurnCountBefore ? index : index - (near.length - 2 - other);
  }
}

function limitCount(count: number): number {
  return Math.max(1, Math.min(count, maxLoadCount));
}
