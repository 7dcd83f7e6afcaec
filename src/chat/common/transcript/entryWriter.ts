import { BoundedMap } from '../../../base/common/boundedMap';
import { roughUnits } from '../../../base/common/roughUnits';
import type { Entry } from '../../../transcript/common/entries';
import type { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { trimEntry } from '../../../transcript/common/trim';
import type { DiffTexts } from '../chatPorts';

/** What every entry begins with. */
export interface EntryBase {
  readonly id: string;
  readonly turn: number;
  readonly at?: number;
  readonly parent?: string;
}

/** What is kept beside the transcript of what was cut from it, in UTF-16 units; the oldest is let go. */
const maxKeptUnits = 32 * 1024 * 1024;

interface Kept {
  readonly entry: Entry;
  readonly diffs: readonly (DiffTexts | undefined)[];
  readonly units: number;
}

/** Puts entries into a transcript: numbers them, cuts them to size, and keeps what was cut. */
export class EntryWriter {
  /** Of the entries to come. */
  turn = 0;
  /** When what is told now has happened, milliseconds since the epoch; undefined for what is told again. */
  at: number | undefined;
  /** When what was told before it has happened, but for the ends of blocks. */
  lastAt: number | undefined;
  private count = 0;
  private readonly kept = new BoundedMap<string, Kept>({ maxWeight: maxKeptUnits, weigh: ({ units }) => units });

  constructor(readonly document: TranscriptDocument) {}

  /** A new entry's. Ids depend on nothing but what came before. */
  base(parent?: string): EntryBase {
    return {
      id: `e${++this.count}`,
      turn: this.turn,
      ...(this.at === undefined ? {} : { at: this.at }),
      ...(parent === undefined ? {} : { parent }),
    };
  }

  /** `diffs` has the texts of the parts that are diffs, by their index. */
  put(entry: Entry, diffs: readonly (DiffTexts | undefined)[] = []): void {
    const trimmed = trimEntry(entry);
    this.kept.delete(entry.id);
    if (trimmed !== entry || diffs.some((texts) => texts !== undefined)) this.keep(entry, diffs);
    this.document.put(trimmed);
  }

  remove(id: string): void {
    this.kept.delete(id);
    this.document.remove(id);
  }

  whole(id: string): Entry | undefined {
    return this.kept.get(id)?.entry ?? this.document.get(id);
  }

  diffTexts(id: string, part: number): DiffTexts | undefined {
    return this.kept.get(id)?.diffs[part];
  }

  private keep(entry: Entry, diffs: Kept['diffs']): void {
    const units =
      roughUnits(entry) +
      diffs.reduce((sum, texts) => sum + (texts?.before?.length ?? 0) + (texts?.after.length ?? 0), 0);
    this.kept.set(entry.id, { entry, diffs, units });
  }
}
