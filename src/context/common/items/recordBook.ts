import { DocumentRecord } from './documentRecord';

export interface RecordLimits {
  readonly documents: number;
  /** Total size of all item texts, in UTF-16 units. */
  readonly units: number;
}

/** The records of documents. Evicts the least recently used ones when there are too many. */
export class RecordBook {
  private readonly records = new Map<string, DocumentRecord>();

  constructor(private readonly limits: RecordLimits) {}

  /** The most recently used one is last. */
  get all(): readonly DocumentRecord[] {
    return [...this.records.values()];
  }

  find(uri: string): DocumentRecord | undefined {
    return this.records.get(uri);
  }

  /** Returns or creates a record and marks it as most recently used. */
  open(uri: string): DocumentRecord {
    const record = this.records.get(uri) ?? new DocumentRecord(uri);
    this.records.delete(uri);
    this.records.set(uri, record);
    return record;
  }

  close(uri: string): void {
    const record = this.records.get(uri);
    if (!record) return;
    this.records.delete(uri);
    record.abandon();
    record.settling?.dispose();
  }

  clear(): void {
    for (const uri of [...this.records.keys()]) this.close(uri);
  }

  /** Enforces the limits. Never evicts the most recently used record. */
  trim(): void {
    let units = this.all.reduce((sum, { weight }) => sum + weight, 0);
    for (const { uri, weight } of this.all.slice(0, -1)) {
      if (this.records.size <= this.limits.documents && units <= this.limits.units) return;
      this.close(uri);
      units -= weight;
    }
  }
}
