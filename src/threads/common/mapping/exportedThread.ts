import { Entry } from '../../../transcript/common/entries';
import { headOfExport, parseExport } from '../heads/exportedHead';
import type { ReadFrom } from '../threadReader';
import { isSameJson } from '../model/jsonValues';
import type { MappedThread } from './mapThread';
import { rawJson } from '../model/rawJson';

const exportNote = 'This was read from a file that Backline exported.';

/**
 * A thread or a chat that Backline has exported as JSON; undefined for what is none. Entries that are the same as in the
 * reading before (`previous`) are the same objects.
 */
export function readExport(json: unknown, from: ReadFrom, previous?: MappedThread): MappedThread | undefined {
  const parsed = parseExport(json);
  if (!parsed) return undefined;
  const known = new Map(previous?.entries.map((entry) => [entry.id, entry]));
  const ids = new Set<string>();
  const entries = parsed.entries.map((raw, index) => {
    const entry = withOwnId(entryOf(raw, index), index, ids);
    const before = known.get(entry.id);
    return before && isSameJson(before, entry) ? before : entry;
  });
  return {
    head: headOfExport(parsed, from),
    facts: parsed.thread?.facts ?? [],
    notes: [...new Set([exportNote, ...(parsed.thread?.notes ?? [])])],
    entries,
    units: [],
    lastEntries: (count) => entries.slice(-count),
    rawOf: (entryId) => {
      const at = entries.findIndex(({ id }) => id === entryId);
      return at < 0 ? undefined : rawJson(parsed.entries[at]);
    },
  };
}

/** What is no entry is shown as it is. */
function entryOf(raw: unknown, index: number): Entry {
  return (
    Entry.safeParse(raw).data ?? {
      kind: 'raw',
      id: `entry.${index}`,
      turn: 0,
      label: 'Entry of an unknown form',
      json: rawJson(raw),
    }
  );
}

function withOwnId(entry: Entry, index: number, ids: Set<string>): Entry {
  const own = ids.has(entry.id) ? { ...entry, id: `${entry.id}#${index}` } : entry;
  ids.add(own.id);
  return own;
}
