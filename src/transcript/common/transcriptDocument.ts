import type { Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Entry, StreamedTextEntry } from './entries';
import { TranscriptFeed } from './transcriptFeed';

/** The transcript of one conversation in the host. Feeds report its changes to any number of pages. */
export class TranscriptDocument implements Disposable {
  private readonly entryIds: string[] = [];
  private readonly entriesById = new Map<string, Entry>();
  private readonly feeds = new Set<TranscriptFeed>();
  private readonly changeEmitter = new Emitter<void>((error) => this.onListenerError(error));
  /** Fires for every change. Listeners must combine changes in quick succession. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly onListenerError: (error: unknown) => void) {}

  get size(): number {
    return this.entryIds.length;
  }

  *entries(): Generator<Entry, void, undefined> {
    for (const id of this.entryIds) {
      const entry = this.entriesById.get(id);
      if (entry) yield entry;
    }
  }

  slice(start: number, end?: number): Entry[] {
    return this.entryIds.slice(start, end).flatMap((id) => this.entriesById.get(id) ?? []);
  }

  get(id: string): Entry | undefined {
    return this.entriesById.get(id);
  }

  indexOf(id: string): number {
    return this.entriesById.has(id) ? this.entryIds.indexOf(id) : -1;
  }

  /** Appends an entry, or replaces the one with its id. */
  put(entry: Entry): void {
    if (!this.entriesById.has(entry.id)) this.entryIds.push(entry.id);
    this.entriesById.set(entry.id, entry);
    for (const feed of this.feeds) feed.didPut(entry.id);
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
    if (!this.entriesById.delete(id)) return;
    const index = this.entryIds.indexOf(id);
    this.entryIds.splice(index, 1);
    for (const feed of this.feeds) feed.didRemove(id, index);
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
    for (const id of this.entryIds.filter((known) => !keep.has(known))) this.remove(id);
    if (this.entryIds.every((id, index) => entries[index]?.id === id)) {
      this.putChanged(entries);
      return;
    }
    this.entryIds.length = 0;
    this.entriesById.clear();
    this.pushAll(entries);
    for (const feed of this.feeds) feed.restart();
    this.changeEmitter.fire();
  }

  /**
   * Returns the start index of a page of about `count` entries that ends before `end`. A page starts with a prompt, so
   * that it does not split a turn, unless this would more than double its size.
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
    this.changeEmitter.dispose();
  }

  private pushAll(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.entryIds.push(entry.id);
      this.entriesById.set(entry.id, entry);
    }
  }

  private startsTurn(index: number): boolean {
    const entry = this.entriesById.get(this.entryIds[index] ?? '');
    return entry?.kind === 'prompt' && entry.parent === undefined;
  }

  private putChanged(entries: readonly Entry[]): void {
    for (const entry of entries) if (this.entriesById.get(entry.id) !== entry) this.put(entry);
  }

  /** Adds older entries at the start. Pages load them when needed. */
  private prepend(entries: readonly Entry[]): void {
    const known = this.entryIds.splice(0);
    this.pushAll(entries);
    for (const id of known) this.entryIds.push(id);
    for (const feed of this.feeds) feed.didPrepend(entries.length);
    this.changeEmitter.fire();
  }
}

function isTextEntry(entry: Entry): entry is StreamedTextEntry {
  return entry.kind === 'answer' || entry.kind === 'thinking';
}
