import type { Entry } from '../../../transcript/common/entries';
import { headOfThread } from '../heads/heads';
import type { ReadFrom } from '../threadReader';
import { isRecord, isSameJson, listOf } from '../model/jsonValues';
import { rawJson } from '../model/rawJson';
import type { ThreadDocument } from '../model/threadSchema';
import type { OpenThread } from '../threadPorts';
import { isFresh } from '../model/threadState';
import type { Mapped, MessageContext } from './parts/mapped';
import { contextsOf } from './messageContexts';
import { messageEntries } from './messageEntries';
import { isResultBlock } from '../model/callIds';
import { resultsOf, type Results } from './results';
import { factsOf, notesOf } from './threadFacts';
import { unsentEntries } from './unsent';

/** One message as it was mapped, with all that its entries were made of. */
interface Unit {
  readonly message: unknown;
  readonly joins: readonly unknown[];
  readonly context: MessageContext;
  readonly mapped: readonly Mapped[];
}

/**
 * A thread as it was read, and what the next reading needs to leave untouched what has not changed. `entries` are made when
 * somebody first asks for them.
 */
export interface MappedThread extends OpenThread {
  /** So many from the end, or more, made without the others; all of them where there are not that many. */
  lastEntries(count: number): readonly Entry[];
  /** What an entry was made of, as indented JSON; undefined when there is none of that id. */
  rawOf(entryId: string): string | undefined;
  readonly units: readonly Unit[];
}

/**
 * All there is to look at in a thread. Entries that say the same as in the reading before (`previous`) are the same objects,
 * so that a page is told of nothing but news.
 */
export function mapThread(document: ThreadDocument, from: ReadFrom, previous?: MappedThread): MappedThread {
  const mapping = new ThreadMapping(document, isFresh(from.mtimeMs, from.nowMs), previous);
  return {
    head: headOfThread(document, from),
    facts: factsOf(document),
    notes: notesOf(document, from.source),
    get entries() {
      return mapping.entries;
    },
    get units() {
      return mapping.units;
    },
    lastEntries: (count) => mapping.lastEntries(count),
    rawOf: (entryId) => mapping.rawOf(entryId),
  };
}

/** Maps a message when it is first asked for, and only once. */
class ThreadMapping {
  private readonly results: Results;
  private readonly contexts: readonly MessageContext[];
  private readonly madeUnits: Unit[] = [];
  private readonly unsent: readonly Mapped[];
  /** Of the reading before; let go when all is mapped, so that readings do not hold each other. */
  private before: readonly Unit[];
  private known: ReadonlyMap<string, Entry>;
  private all: readonly Mapped[] | undefined;
  private allEntries: readonly Entry[] | undefined;

  constructor(
    private readonly document: ThreadDocument,
    isLive: boolean,
    previous: MappedThread | undefined,
  ) {
    this.results = resultsOf(document.messages);
    this.contexts = contextsOf(document, this.results, isLive);
    this.before = previous?.units ?? [];
    this.known = new Map(previous?.entries.map((entry) => [entry.id, entry]));
    this.unsent = unsentEntries(document, this.contexts.at(-1)?.turn ?? 0).map((item) => this.asBefore(item));
  }

  get units(): readonly Unit[] {
    return this.contexts.map((context, index) => this.unit(context, index));
  }

  get entries(): readonly Entry[] {
    this.allEntries ??= this.mapped().map(({ entry }) => entry);
    return this.allEntries;
  }

  lastEntries(count: number): readonly Entry[] {
    const units: Unit[] = [];
    let found = this.unsent.length;
    for (let index = this.contexts.length - 1; index >= 0 && found < count; index--) {
      const context = this.contexts[index];
      if (!context) break;
      const unit = this.unit(context, index);
      units.push(unit);
      found += unit.mapped.length;
    }
    const last = units.reverse().flatMap(({ mapped }) => mapped);
    return [...last, ...this.unsent].map(({ entry }) => entry);
  }

  rawOf(entryId: string): string | undefined {
    const found = this.mapped().find(({ entry }) => entry.id === entryId);
    return found && rawJson(found.raw);
  }

  private mapped(): readonly Mapped[] {
    if (this.all) return this.all;
    this.all = [...this.units.flatMap(({ mapped }) => mapped), ...this.unsent];
    this.before = [];
    this.known = new Map();
    return this.all;
  }

  private unit(context: MessageContext, index: number): Unit {
    const made = this.madeUnits[index] ?? this.makeUnit(context, index);
    this.madeUnits[index] = made;
    return made;
  }

  private makeUnit(context: MessageContext, index: number): Unit {
    const message = this.document.messages[index];
    const before = this.before[index];
    const joins = joinsOf(message, this.results);
    if (before && isSame(before.context, context) && isSame(before.message, message) && isSame(before.joins, joins))
      return before;
    const mapped = messageEntries(message, this.results, context).map((item) => this.asBefore(item));
    return { message, joins, context, mapped };
  }

  private asBefore(item: Mapped): Mapped {
    const before = this.known.get(item.entry.id);
    return before && isSame(before, item.entry) ? { ...item, entry: before } : item;
  }
}

/** What other messages decide of its blocks: the results of a call, and whether the call of a result is there. */
function joinsOf(message: unknown, results: Results): readonly unknown[] {
  const blocks = isRecord(message) ? listOf(message['content']) : [];
  return blocks.map((block) => (isResultBlock(block) ? results.isJoined(block) : results.of(block)));
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    return isSameJson(one, other);
  } catch {
    // Nested too deeply to be compared.
    return false;
  }
}
