import type { Entry } from '../../../transcript/common/entries';
import { headOfThread } from '../heads/heads';
import type { DocumentOrigin } from '../threadReader';
import { isRecord, isSameJson, asList } from '../model/jsonValues';
import { displayJson } from '../model/displayJson';
import type { ThreadDocument } from '../model/threadSchema';
import type { ThreadWithEntries } from '../threadPorts';
import { isRecentlyWritten } from '../model/threadState';
import type { EntryWithRawJson, MessagePlace } from './parts/entryWithRawJson';
import { messagePlaces } from './messagePlaces';
import { messageEntries } from './messageEntries';
import { isResultBlock } from '../model/callIds';
import { matchToolResults, type ToolResults } from './toolResults';
import { threadFactsOf, threadNotesOf } from './threadFacts';
import { unsentEntries } from './unsentEntries';

/** A message, its entries, and everything on which they depend. */
interface MappedMessage {
  readonly message: unknown;
  readonly relatedResults: readonly unknown[];
  readonly place: MessagePlace;
  readonly mapped: readonly EntryWithRawJson[];
}

/** A thread, with what the next read reuses for unchanged entries. `entries` is computed on first access. */
export interface MappedThread extends ThreadWithEntries {
  /** Returns at least `count` entries from the end, or all. Does not map earlier messages. */
  lastEntries(count: number): readonly Entry[];
  /** Returns the source of an entry as indented JSON. Undefined if there is no such entry. */
  rawJsonOf(entryId: string): string | undefined;
  readonly messages: readonly MappedMessage[];
}

/** Maps a document to entries. If an entry is equal to one of the previous read, the same object is returned. */
export function mapThread(document: ThreadDocument, from: DocumentOrigin, previous?: MappedThread): MappedThread {
  const mapping = new ThreadMapping(document, isRecentlyWritten(from.mtimeMs, from.nowMs), previous);
  return {
    head: headOfThread(document, from),
    facts: threadFactsOf(document),
    notes: threadNotesOf(document, from.source),
    get entries() {
      return mapping.entries;
    },
    get messages() {
      return mapping.messages;
    },
    lastEntries: (count) => mapping.lastEntries(count),
    rawJsonOf: (entryId) => mapping.rawJsonOf(entryId),
  };
}

/** Maps each message when it is first needed, and only once. */
class ThreadMapping {
  private readonly toolResults: ToolResults;
  private readonly messagePlaces: readonly MessagePlace[];
  private readonly mappedMessages: MappedMessage[] = [];
  private readonly unsentEntries: readonly EntryWithRawJson[];
  /**
   * The messages of the previous read. Released when everything is mapped, because otherwise each read would keep the
   * previous ones in memory.
   */
  private previousMessages: readonly MappedMessage[];
  private previousEntries: ReadonlyMap<string, Entry>;
  private cachedMappedEntries: readonly EntryWithRawJson[] | undefined;
  private cachedEntries: readonly Entry[] | undefined;

  constructor(
    private readonly document: ThreadDocument,
    isLive: boolean,
    previous: MappedThread | undefined,
  ) {
    this.toolResults = matchToolResults(document.messages);
    this.messagePlaces = messagePlaces(document, this.toolResults, isLive);
    this.previousMessages = previous?.messages ?? [];
    this.previousEntries = new Map(previous?.entries.map((entry) => [entry.id, entry]));
    this.unsentEntries = unsentEntries(document, this.messagePlaces.at(-1)?.turn ?? 0).map((item) =>
      this.reusePreviousEntry(item),
    );
  }

  get messages(): readonly MappedMessage[] {
    return this.messagePlaces.map((place, index) => this.messageAt(place, index));
  }

  get entries(): readonly Entry[] {
    this.cachedEntries ??= this.mapAll().map(({ entry }) => entry);
    return this.cachedEntries;
  }

  lastEntries(count: number): readonly Entry[] {
    const messages: MappedMessage[] = [];
    let entryCount = this.unsentEntries.length;
    for (let index = this.messagePlaces.length - 1; index >= 0 && entryCount < count; index--) {
      const place = this.messagePlaces[index];
      if (!place) break;
      const message = this.messageAt(place, index);
      messages.push(message);
      entryCount += message.mapped.length;
    }
    const last = messages.reverse().flatMap(({ mapped }) => mapped);
    return [...last, ...this.unsentEntries].map(({ entry }) => entry);
  }

  rawJsonOf(entryId: string): string | undefined {
    const found = this.mapAll().find(({ entry }) => entry.id === entryId);
    return found && displayJson(found.raw);
  }

  private mapAll(): readonly EntryWithRawJson[] {
    if (this.cachedMappedEntries) return this.cachedMappedEntries;
    this.cachedMappedEntries = [...this.messages.flatMap(({ mapped }) => mapped), ...this.unsentEntries];
    this.previousMessages = [];
    this.previousEntries = new Map();
    return this.cachedMappedEntries;
  }

  private messageAt(place: MessagePlace, index: number): MappedMessage {
    const mapped = this.mappedMessages[index] ?? this.mapMessage(place, index);
    this.mappedMessages[index] = mapped;
    return mapped;
  }

  private mapMessage(place: MessagePlace, index: number): MappedMessage {
    const message = this.document.messages[index];
    const before = this.previousMessages[index];
    const relatedResults = relatedResultsOf(message, this.toolResults);
    if (before && isSame(before.place, place) && isSame(before.message, message)) {
      if (isSame(before.relatedResults, relatedResults)) return before;
    }
    const mapped = messageEntries(message, this.toolResults, place).map((item) => this.reusePreviousEntry(item));
    return { message, relatedResults, place, mapped };
  }

  private reusePreviousEntry(item: EntryWithRawJson): EntryWithRawJson {
    const before = this.previousEntries.get(item.entry.id);
    return before && isSame(before, item.entry) ? { ...item, entry: before } : item;
  }
}

/** Returns what a message's entries depend on in other messages: results of its calls, calls of its results. */
function relatedResultsOf(message: unknown, results: ToolResults): readonly unknown[] {
  const blocks = isRecord(message) ? asList(message['content']) : [];
  return blocks.map((block) => (isResultBlock(block) ? results.hasCall(block) : results.ofCall(block)));
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    return isSameJson(one, other);
  } catch {
    // The values are nested too deeply to be compared.
    return false;
  }
}
