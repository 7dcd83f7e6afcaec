import { Entry } from '../../../transcript/common/entries';
import { headOfExport, parseExport } from '../heads/exportedHead';
import type { DocumentOrigin } from '../threadReader';
import { isSameJson } from '../model/jsonValues';
import type { MappedThread } from './mapThread';
import { displayJson } from '../model/displayJson';

const exportNote = 'This thread was exported by Backline.';

/**
 * Maps a thread or conversation that Backline exported as JSON. Undefined for other files. If an entry is equal to one
 * of the previous read, the same object is returned.
 */
export function mapExport(json: unknown, from: DocumentOrigin, previous?: MappedThread): MappedThread | undefined {
  const parsed = parseExport(json);
  if (!parsed) return undefined;
  const known = new Map(previous?.entries.map((entry) => [entry.id, entry]));
  const ids = new Set<string>();
  const entries = parsed.entries.map((raw, index) => {
    const entry = withUniqueId(entryOf(raw, index), index, ids);
    const before = known.get(entry.id);
    return before && isSameJson(before, entry) ? before : entry;
  });
  return {
    head: headOfExport(parsed, from),
    facts: parsed.thread?.facts ?? [],
    notes: [...new Set([exportNote, ...(parsed.thread?.notes ?? [])])],
    entries,
    messages: [],
    lastEntries: (count) => entries.slice(-count),
    rawJsonOf: (entryId) => {
      const index = entries.findIndex(({ id }) => id === entryId);
      return index < 0 ? undefined : displayJson(parsed.entries[index]);
    },
  };
}

/** Shows an invalid entry as its JSON. */
function entryOf(raw: unknown, index: number): Entry {
  const { data } = Entry.safeParse(raw);
  return data ?? { kind: 'raw', id: `entry.${index}`, turn: 0, label: 'Unknown entry', json: displayJson(raw) };
}

function withUniqueId(entry: Entry, index: number, ids: Set<string>): Entry {
  const unique = ids.has(entry.id) ? { ...entry, id: `${entry.id}#${index}` } : entry;
  ids.add(unique.id);
  return unique;
}
