import type { Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Entry, EntryOf, StreamedTextEntry } from './entries';
import { EntryStore, type EntryOutline, type TextSpool } from './entryStore';
import { TopLevelIndex } from './topLevelIndex';
import { TranscriptFeed, type EntryRange } from './transcriptFeed';

/** The transcript of one conversation in the host. Feeds report its changes to any number of pages. */
export class TranscriptDocument implements Disposable {
  private readonly entryIds: string[] = [];
  private readonly entriesById: EntryStore;
  private readonly topLevel = new TopLevelIndex((id) => this.entriesById.outline(id));
  private readonly feeds = new Set<TranscriptFeed>();
  /** Whether the order is rebuilt later, after several changes. */
  private isRebuildDeferred = false;
  private needsRebuild = false;
  private readonly changeEmitter = new Emitter<void>((error) => this.onListenerError(error));
  /** Fires for every change. Listeners must combine changes in quick succession. */
  readonly onDidChange = this.changeEmitter.event;

  /** Entries that were not changed for long are kept in the spool, which the document disposes. */
  constructor(
    private readonly onListenerError: (error: unknown) => void,
    private readonly spool?: TextSpool,
  ) {
    this.entriesById = new EntryStore(spool);
  }

  get size(): number {
    return this.entryIds.length;
  }

  /** All entries, or those of a kind. Those that are not in memory are read one at a time. */
  entries(): Generator<Entry, void, undefined>;
  entries<Kind extends Entry['kind']>(kind: Kind): Generator<EntryOf<Kind>, void, undefined>;
  *entries(kind?: Entry['kind']): Generator<Entry, void, undefined> {
    for (const id of this.entryIds) {
      if (kind !== undefined && this.entriesById.outline(id)?.kind !== kind) continue;
      const entry = this.entriesById.get(id);
      if (entry) yield entry;
    }
  }

  /** The entries of a turn, by default of the last one. */
  entriesOfTurn(turn = this.entriesById.outline(this.entryIds.at(-1) ?? '')?.turn): Entry[] {
    return this.entriesOf(this.entryIds.filter((id) => this.entriesById.outline(id)?.turn === turn));
  }

  /** The entries before an index, the last one first, as `entries` gives them. */
  *newestFirst(end = this.entryIds.length): Generator<Entry, void, undefined> {
    for (const id of this.entryIds.slice(0, end).reverse()) {
      const entry = this.entriesById.get(id);
      if (entry) yield entry;
    }
  }

  /** A copy of the ids of the entries that are not steps of a call. */
  topLevelIds(): string[] {
    return [...this.topLevel.ids];
  }

  /** The kind of an entry, which is not read for it. */
  kindOf(id: string): Entry['kind'] | undefined {
    return this.entriesById.outline(id)?.kind;
  }

  /** Returns the entries of a range that are not steps of a call. */
  topLevelEntries(start = 0, end?: number): Entry[] {
    return this.entriesOf(this.topLevel.ids.slice(start, end));
  }

  /** Describes the entries of a range that are not steps of a call, without reading them. */
  topLevelOutlines(start: number, end?: number): EntryOutline[] {
    return this.topLevel.ids.slice(start, end).flatMap((id) => this.entriesById.outline(id) ?? []);
  }

  get topLevelCount(): number {
    return this.topLevel.ids.length;
  }

  /** Returns the top-level entries of a range, each followed by its steps. */
  sliceTopLevel(start: number, end?: number): Entry[] {
    return this.entriesOf(this.idsOfTopLevel(start, end));
  }

  /** The ids of what `sliceTopLevel` returns. */
  idsOfTopLevel(start: number, end?: number): string[] {
    return this.topLevel.ids.slice(start, end).flatMap((id) => [id, ...this.topLevel.stepsOf(id)]);
  }

  topLevelIdAt(index: number): string | undefined {
    return this.topLevel.ids[index];
  }

  /** Returns the index of a top-level entry, or of the one that an entry is a step of. Returns -1 if there is no such entry. */
  topLevelIndexOf(id: string): number {
    return this.topLevel.indexOf(id);
  }

  slice(start: number, end?: number): Entry[] {
    return this.entriesOf(this.entryIds.slice(start, end));
  }

  get(id: string): Entry | undefined {
    return this.entriesById.get(id);
  }

  /** Appends an entry, or replaces the one with its id. */
  put(entry: Entry): void {
    const before = this.entriesById.outline(entry.id);
    if (!before) this.entryIds.push(entry.id);
    this.entriesById.set(entry.id, entry);
    const isInOrder = before ? before.parent === entry.parent : this.topLevel.add(entry);
    if (isInOrder) for (const feed of this.feeds) feed.didPut(entry.id);
    else this.rebuildTopLevel();
    this.changeEmitter.fire();
  }

  /** Appends text to an entry. Does nothing if the entry does not exist or has no streamed text. */
  append(id: string, text: string): void {
    const entry = this.entriesById.get(id);
    if (!entry || !isTextEntry(entry) || text === '') return;
    this.entriesById.set(id, { ...entry, text: entry.text + text });
    for (const feed of this.feeds) feed.didAppend(id, text);
    this.changeEmitter.fire();
  }

  remove(id: string): void {
    const index = this.topLevelIndexOf(id);
    if (!this.entriesById.delete(id)) return;
    this.entryIds.splice(this.entryIds.indexOf(id), 1);
    const isTopLevel = this.topLevel.isTopLevel(id);
    if (!this.topLevel.remove(id)) this.rebuildTopLevel();
    else for (const feed of this.feeds) feed.didRemove(id, index, isTopLevel);
    this.changeEmitter.fire();
  }

  /** Replaces all entries after the source was read again. Objects that are unchanged are not sent again. */
  replaceAll(entries: readonly Entry[]): void {
    const older = entries.length - this.entryIds.length;
    if (older > 0 && this.size > 0 && this.entryIds.every((id, index) => entries[older + index]?.id === id)) {
      this.prepend(entries.slice(0, older));
      this.putChanged(entries.slice(older));
      return;
    }
    const keep = new Set(entries.map(({ id }) => id));
    // Steps come after their call, and are removed before it.
    for (const id of this.entryIds.filter((known) => !keep.has(known)).reverse()) this.remove(id);
    if (this.entryIds.every((id, index) => entries[index]?.id === id)) {
      this.putChanged(entries);
      return;
    }
    this.entryIds.length = 0;
    this.entriesById.clear();
    this.pushAll(entries);
    this.rebuildTopLevel();
    this.changeEmitter.fire();
  }

  /**
   * Returns the start index of a page of about `count` top-level entries that ends before `end`. A page starts with a prompt,
   * so that it does not split a turn, unless this would more than double its size.
   */
  turnAlignedStart(end: number, count: number): number {
    const start = Math.max(0, end - count);
    const earliest = Math.max(0, end - 2 * count);
    for (let index = start; index >= earliest; index--) if (this.startsTurn(index)) return index;
    return start;
  }

  /** Creates a feed of about `tail` entries from the end, and all changes. The caller disposes it. */
  createFeed(tailCount: number): TranscriptFeed {
    const feed = new TranscriptFeed(this, tailCount, () => this.feeds.delete(feed));
    this.feeds.add(feed);
    return feed;
  }

  dispose(): void {
    this.feeds.clear();
    this.spool?.dispose();
    this.changeEmitter.dispose();
  }

  private entriesOf(ids: readonly string[]): Entry[] {
    return ids.flatMap((id) => this.entriesById.get(id) ?? []);
  }

  private pushAll(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.entryIds.push(entry.id);
      this.entriesById.set(entry.id, entry);
    }
  }

  private startsTurn(index: number): boolean {
    const id = this.topLevel.ids[index] ?? '';
    const outline = this.entriesById.outline(id);
    if (outline?.kind !== 'prompt' || outline.parent !== undefined) return false;
    const prompt = this.entriesById.get(id);
    return prompt?.kind === 'prompt' && !prompt.isSteered;
  }

  private putChanged(entries: readonly Entry[]): void {
    this.isRebuildDeferred = true;
    for (const entry of entries) if (this.entriesById.get(entry.id) !== entry) this.put(entry);
    this.isRebuildDeferred = false;
    if (this.needsRebuild) this.rebuildTopLevel();
  }

  /** Adds older entries at the start. Pages load them when needed. */
  private prepend(entries: readonly Entry[]): void {
    const known = this.entryIds.splice(0);
    this.pushAll(entries);
    for (const id of known) this.entryIds.push(id);
    const before = this.topLevel.ids;
    const ranges = this.feedRanges();
    this.topLevel.rebuild(this.entryIds);
    const added = this.topLevel.ids.length - before.length;
    if (added >= 0 && before.every((id, index) => this.topLevel.ids[added + index] === id))
      for (const feed of this.feeds) feed.didPrepend(added);
    else for (const [feed, range] of ranges) feed.restartAt(range);
    this.changeEmitter.fire();
  }

  /** Entries have become steps, or are no longer steps. Feeds keep the entries at the start and the end of their range. */
  private rebuildTopLevel(): void {
    this.needsRebuild = this.isRebuildDeferred;
    if (this.isRebuildDeferred) return;
    const ranges = this.feedRanges();
    this.topLevel.rebuild(this.entryIds);
    for (const [feed, range] of ranges) feed.restartAt(range);
  }

  private feedRanges(): (readonly [TranscriptFeed, EntryRange])[] {
    return [...this.feeds].map((feed) => [feed, feed.range] as const);
  }
}

function isTextEntry(entry: Entry): entry is StreamedTextEntry {
  return entry.kind === 'answer' || entry.kind === 'thinking';
}
