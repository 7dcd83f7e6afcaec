import { DocumentRecord } from './documentRecord';

export interface DocumentRecordLimits {
  readonly maxDocuments: number;
  /** Maximum total size of all item texts, in UTF-16 units. */
  readonly maxWeight: number;
}

/** The records of documents. If there are too many, evicts those that were not used for the longest time. */
export class DocumentRecordCache {
  private readonly recordsByUri = new Map<string, DocumentRecord>();

  constructor(private readonly limits: DocumentRecordLimits) {}

  /** All records. The order is that of their last use. */
  get allRecords(): readonly DocumentRecord[] {
    return [...this.recordsByUri.values()];
  }

  find(uri: string): DocumentRecord | undefined {
    return this.recordsByUri.get(uri);
  }

  /** Returns or creates a record and marks it as most recently used. */
  getOrCreate(uri: string): DocumentRecord {
    const record = this.recordsByUri.get(uri) ?? new DocumentRecord(uri);
    this.recordsByUri.delete(uri);
    this.recordsByUri.set(uri, record);
    return record;
  }

  remove(uri: string): void {
    const record = this.recordsByUri.get(uri);
    if (!record) return;
    this.recordsByUri.delete(uri);
    record.cancelRequests();
    record.settleTimer?.dispose();
  }

  clear(): void {
    for (const uri of [...this.recordsByUri.keys()]) this.remove(uri);
  }

  /** Evicts records until the limits are met. Never evicts the one that was used last. */
  enforceLimits(): void {
    let units = this.allRecords.reduce((sum, { totalWeight }) => sum + totalWeight, 0);
    for (const { uri, totalWeight: weight } of this.allRecords.slice(0, -1)) {
      if (this.recordsByUri.size <= this.limits.maxDocuments && units <= this.limits.maxWeight) return;
      this.remove(uri);
      units -= weight;
    }
  }
}
