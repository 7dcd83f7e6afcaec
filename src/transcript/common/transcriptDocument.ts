import type { Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Entry, TextEntry } from './entries';
import { TranscriptFeed } from './transcriptFeed';

/**
 * The transcript of one conversation in the host. Whoever makes it puts entries and appends text; any number of feeds
 * tell pages what has changed, each at its own pace.
 */
export class TranscriptDocument implements Disposable {
  private readonly order: string[] = [];
  private readonly byId = new Map<string, Entry>();
  private readonly feeds = new Set<TranscriptFeed>();
  private readonly emitter = new Emitter<void>((error) => this.onListenerError(error));
  /** Fires for every change; whoever posts to a page coalesces. */
  readonly onDidChange = this.emitter.event;

  constructor(private readonly onListenerError: (error: unknown) => void) {}

  get size(): number {
    return this.order.length;
  }

  /** In reading order. */
  *entries(): Generator<Entry, void, undefined> {
    for (const id of this.order) {
      const entry = this.byId.get(id);
      if (entry) yield entry;
    }
  }

  /** Bounds as `Array.slice` takes them. */
  slice(start: number, end?: number): Entry[] {
    return this.order.slice(start, end).flatMap((id) => this.byId.get(id) ?? []);
  }

  get(id: string): Entry | undefined {
    return this.byId.get(id);
  }

  /** In reading order, 0-based; -1 when there is none of that id. */
  indexOf(id: string): number {
    return this.byId.has(id) ? this.order.indexOf(id) : -1;
  }

  /** Adds an entry at the end, or replaces the one of that id. */
  put(entry: Entry): void {
    if (!this.byId.has(entry.id)) this.order.push(entry.id);
    this.byId.set(entry.id, entry);
    for (const feed of this.feeds) feed.didPut(entry.id);
    this.emitter.fire();
  }

  /** Adds text to the end of an entry of text; nothing when there is none of that id. */
  append(id: string, text: string): void {
    const entry = this.byId.get(id);
    if (!entry || !isTextEntry(entry) || text === '') return;
    this.byId.set(id, { ...entry, text: entry.text + text });
    for (const feed of this.feeds) feed.didAppend(id, text);
    this.emitter.fire();
  }

  remove(id: string): void {
    if (!this.byId.delete(id)) return;
    const index = this.order.indexOf(id);
    this.order.splice(index, 1);
    for (const feed of this.feeds) feed.didRemove(id, index);
    this.emitter.fire();
  }

  /** Replaces everything, for a source that is read anew. Entries that are the same object are not sent again. */
  replaceAll(entries: readonly Entry[]): void {
    const older = entries.length - this.order.length;
    if (older > 0 && this.size > 0 && this.order.every((id, index) => entries[older + index]?.id === id)) {
      this.prepend(entries.slice(0, older));
      this.putChanged(entries.slice(older));
      return;
    }
    const keep = new Set(entries.map(({ id }) => id));
    for (const id of this.order.filter((known) => !keep.has(known))) this.remove(id);
    if (this.order.every((id, index) => entries[index]?.id === id)) {
      this.putChanged(entries);
      return;
    }
    this.order.length = 0;
    this.byId.clear();
    for (const entry of entries) {
      this.order.push(entry.id);
      this.byId.set(entry.id, entry);
    }
    for (const feed of this.feeds) feed.restart();
    this.emitter.fire();
  }

  /**
   * The index from which a page shows about `count` entries that end before `end`. A page begins with a prompt, so that it
   * does not cut a turn; a turn that makes it longer than twice `count` is cut all the same.
   */
  startOfPage(end: number, count: number): number {
    const start = Math.max(0, end - count);
    const earliest = Math.max(0, end - 2 * count);
    for (let at = start; at >= earliest; at--) if (this.beginsTurn(at)) return at;
    return start;
  }

  /** What a page follows: about the last `tail` entries at first, and all that comes. Dispose to end it. */
  feed(tail: number): TranscriptFeed {
    const feed = new TranscriptFeed(this, tail, () => this.feeds.delete(feed));
    this.feeds.add(feed);
    return feed;
  }

  dispose(): void {
    this.feeds.clear();
    this.emitter.dispose();
  }

  private beginsTurn(at: number): boolean {
    const entry = this.byId.get(this.order[at] ?? '');
    return entry?.kind === 'prompt' && entry.parent === undefined;
  }

  private putChanged(entries: readonly Entry[]): void {
    for (const entry of entries) if (this.byId.get(entry.id) !== entry) this.put(entry);
  }

  /** Pages have what they had; this is older, and they may ask for it. */
  private prepend(entries: readonly Entry[]): void {
    const known = this.order.splice(0);
    for (const entry of entries) {
      this.order.push(entry.id);
      this.byId.set(entry.id, entry);
    }
    for (const id of known) this.order.push(id);
    for (const feed of this.feeds) feed.didPrepend(entries.length);
    this.emitter.fire();
  }
}

function isTextEntry(entry: Entry): entry is TextEntry {
  return entry.kind === 'answer' || entry.kind === 'thinking';
}
