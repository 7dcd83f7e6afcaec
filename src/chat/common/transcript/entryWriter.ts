import { BoundedMap } from '../../../base/common/boundedMap';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { approximateUtf16Units } from '../../../base/common/text/approximateUtf16Units';
import type { Entry, EntryBase, EntryOf } from '../../../transcript/common/entries';
import type { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { truncateEntry } from '../../../transcript/common/truncateEntry';
import type { DiffTexts } from '../chatPorts';

/** Maximum total size of the complete forms of shortened entries, in UTF-16 units. The oldest are evicted. */
const maxUnits = 32 * 1024 * 1024;

interface FullEntry {
  readonly entry: Entry;
  readonly diffs: readonly (DiffTexts | undefined)[];
  readonly units: number;
}

/** Adds entries to a transcript. Assigns ids, shortens large entries, and keeps their complete form. */
export class EntryWriter {
  turnNumber = 0;
  /** Time of the current record, in milliseconds since the epoch; undefined while a session is replayed. */
  recordedAt: number | undefined;
  /** Time of the previous record in milliseconds since the epoch, ignoring ends of blocks. */
  previousAt: number | undefined;
  private entryCount = 0;
  private readonly fullEntryById = new BoundedMap<string, FullEntry>({
    maxWeight: maxUnits,
    weigh: ({ units }) => units,
  });

  constructor(readonly document: TranscriptDocument) {}

  /** Creates the common members of a new entry. Ids are sequential: the same when records are read again. */
  createBase(parent?: string): EntryBase {
    const { recordedAt, turnNumber } = this;
    return { id: `e${++this.entryCount}`, turn: turnNumber, ...withoutUndefined({ at: recordedAt, parent }) };
  }

  /** Returns the time from `startedAt` to the current record, in milliseconds. Undefined if either time is unknown. */
  elapsedSince(startedAt: number | undefined): number | undefined {
    return startedAt === undefined || this.recordedAt === undefined ? undefined : this.recordedAt - startedAt;
  }

  /** Adds or replaces an entry. `diffs` contains the complete texts of diffs, by part index. */
  put(entry: Entry, diffs: readonly (DiffTexts | undefined)[] = []): void {
    const trimmed = truncateEntry(entry);
    this.fullEntryById.delete(entry.id);
    if (trimmed !== entry || diffs.some((texts) => texts !== undefined)) this.keepFullEntry(entry, diffs);
    this.document.put(trimmed);
  }

  remove(id: string): void {
    this.fullEntryById.delete(id);
    this.document.remove(id);
  }

  putNotice(level: EntryOf<'notice'>['level'], text: string, details?: string, path?: string): void {
    this.put({ kind: 'notice', ...this.createBase(), level, text, ...withoutUndefined({ details, path }) });
  }

  fullContent(id: string): Entry | undefined {
    return this.fullEntryById.get(id)?.entry ?? this.document.get(id);
  }

  diffTexts(id: string, part: number): DiffTexts | undefined {
    return this.fullEntryById.get(id)?.diffs[part];
  }

  private keepFullEntry(entry: Entry, diffs: FullEntry['diffs']): void {
    const unitsOf = (texts: DiffTexts | undefined): number =>
      texts ? (texts.before ?? '').length + texts.after.length : 0;
    const units = diffs.reduce((sum, texts) => sum + unitsOf(texts), approximateUtf16Units(entry));
    this.fullEntryById.set(entry.id, { entry, diffs, units });
  }
}
