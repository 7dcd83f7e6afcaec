import type { Entry } from '../../../transcript/common/entries';
import { headOfThread, type ReadFrom } from '../heads';
import { isRecord, isSameJson, listOf } from '../json';
import { rawJson } from '../rawJson';
import type { ThreadDocument } from '../schema';
import type { OpenThread } from '../threadPorts';
import { isFresh } from '../threadState';
import type { Mapped, MessageContext } from './mapped';
import { contextsOf } from './messageContexts';
import { messageEntries } from './messageEntries';
import { callId, resultsFor, resultsOf, type Results } from './results';
import { factsOf, notesOf } from './threadFacts';
import { unsentEntries } from './unsent';

/** One message as it was mapped, with all that its entries were made of. */
interface Unit {
  readonly message: unknown;
  readonly results: readonly unknown[];
  readonly context: MessageContext;
  readonly mapped: readonly Mapped[];
}

/** A thread as it was read, and what the next reading needs to leave untouched what has not changed. */
export interface MappedThread extends OpenThread {
  /** What an entry was made of, as indented JSON; undefined when there is none of that id. */
  rawOf(entryId: string): string | undefined;
  readonly units: readonly Unit[];
}

/**
 * All there is to look at in a thread. Entries that say the same as in the reading before (`previous`) are the same objects,
 * so that a page is told of nothing but news.
 */
export function mapThread(document: ThreadDocument, from: ReadFrom, previous?: MappedThread): MappedThread {
  const results = resultsOf(document.messages);
  const contexts = contextsOf(document, isFresh(from.mtimeMs, from.nowMs));
  const known = new Map(previous?.entries.map((entry) => [entry.id, entry]));
  const units = contexts.map((context, index): Unit => {
    const message = document.messages[index];
    const before = previous?.units[index];
    const own = resultsIn(message, results);
    if (before && isSame(before.context, context) && isSame(before.message, message) && isSame(before.results, own))
      return before;
    const mapped = messageEntries(message, results, context).map((item) => asBefore(item, known));
    return { message, results: own, context, mapped };
  });
  const turn = contexts.at(-1)?.turn ?? 0;
  const all = [
    ...units.flatMap(({ mapped }) => mapped),
    ...unsentEntries(document, turn).map((item) => asBefore(item, known)),
  ];
  const raws = new Map(all.map(({ entry, raw }) => [entry.id, raw]));
  return {
    head: headOfThread(document, from),
    entries: all.map(({ entry }) => entry),
    facts: factsOf(document),
    notes: notesOf(document, from.source),
    rawOf: (entryId) => (raws.has(entryId) ? rawJson(raws.get(entryId)) : undefined),
    units,
  };
}

function resultsIn(message: unknown, results: Results): readonly unknown[] {
  const blocks = isRecord(message) ? listOf(message['content']).filter(isRecord) : [];
  return blocks.flatMap((block) => resultsFor(results, callId(block)));
}

function asBefore(item: Mapped, known: ReadonlyMap<string, Entry>): Mapped {
  const before = known.get(item.entry.id);
  return before && isSame(before, item.entry) ? { ...item, entry: before } : item;
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    return isSameJson(one, other);
  } catch {
    // Nested too deeply to be compared.
    return false;
  }
}
