import { approximateUtf16Units } from '../../base/common/text/approximateUtf16Units';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import { Entry, type EntryBase } from './entries';

/** Where a text is in a spool, in bytes. */
export interface SpooledText {
  readonly offset: number;
  readonly length: number;
}

/** Keeps texts outside of memory, for as long as the process runs. */
export interface TextSpool {
  /** Undefined if the text could not be written. No later one can be written then. */
  write(text: string): SpooledText | undefined;
  /** @throws Error if the text can't be read, also after the spool was disposed */
  read(text: SpooledText): string;
  dispose(): void;
}

/** Maximum size of the entries that stay in memory, in UTF-16 units. Without small entries, which always do. */
const maxLoadedUnits = 512 * 1024;
/** An entry of this size, in UTF-16 units, takes about as much memory as what has to be known of one that is elsewhere. */
const smallUnits = 384;

/** What is known of an entry without reading it. */
export type EntryOutline = EntryBase & Pick<Entry, 'kind'>;

interface SpooledEntry {
  readonly outline: EntryOutline;
  readonly text: SpooledText;
}

/**
 * The entries of a transcript by their ids. With a spool, those that were not changed for long leave memory, and are read
 * when they are needed. Without one, or when the disk is full, all stay in memory.
 */
export class EntryStore {
  private readonly loadedById = new Map<string, Entry>();
  /** The sizes of entries in memory that can leave it, those that were changed last at the end. */
  private readonly unitsById = new Map<string, number>();
  private loadedUnits = 0;
  private readonly spooledById = new Map<string, SpooledEntry>();
  private canSpool: boolean;

  constructor(
    private readonly spool: TextSpool | undefined,
    private readonly maxUnits = maxLoadedUnits,
  ) {
    this.canSpool = spool !== undefined;
  }

  /** Size of the entries in memory that can leave it, in UTF-16 units. */
  get unitsInMemory(): number {
    return this.loadedUnits;
  }

  get(id: string): Entry | undefined {
    return this.loadedById.get(id) ?? this.read(id);
  }

  outline(id: string): EntryOutline | undefined {
    const entry = this.loadedById.get(id);
    return entry ? outlineOf(entry) : this.spooledById.get(id)?.outline;
  }

  set(id: string, entry: Entry): void {
    this.delete(id);
    this.loadedById.set(id, entry);
    if (!this.spool || !this.canSpool) return;
    const units = approximateUtf16Units(entry);
    if (units <= smallUnits) return;
    this.unitsById.set(id, units);
    this.loadedUnits += units;
    this.spoolOldest(this.spool);
  }

  delete(id: string): boolean {
    this.forgetUnits(id);
    const wasLoaded = this.loadedById.delete(id);
    return this.spooledById.delete(id) || wasLoaded;
  }

  clear(): void {
    this.loadedById.clear();
    this.unitsById.clear();
    this.spooledById.clear();
    this.loadedUnits = 0;
  }

  private forgetUnits(id: string): void {
    this.loadedUnits -= this.unitsById.get(id) ?? 0;
    this.unitsById.delete(id);
  }

  private read(id: string): Entry | undefined {
    const spooled = this.spooledById.get(id);
    if (!spooled || !this.spool) return undefined;
    try {
      return Entry.parse(JSON.parse(this.spool.read(spooled.text)));
    } catch {
      const text = 'This part can’t be read from the disk at the moment. Open the conversation again.';
      return { ...spooled.outline, kind: 'notice', level: 'error', text };
    }
  }

  private spoolOldest(spool: TextSpool): void {
    for (const id of this.unitsById.keys()) {
      // The entry that was changed last stays, because it may change again soon.
      if (this.loadedUnits <= this.maxUnits || this.unitsById.size === 1) return;
      const entry = this.loadedById.get(id);
      const text = entry && spool.write(JSON.stringify(entry));
      if (!text) {
        this.canSpool = false;
        return;
      }
      this.forgetUnits(id);
      this.loadedById.delete(id);
      this.spooledById.set(id, { outline: outlineOf(entry), text });
    }
  }
}

function outlineOf({ id, kind, turn, at, parent }: Entry): EntryOutline {
  return { id, kind, turn, ...withoutUndefined({ at, parent }) };
}
