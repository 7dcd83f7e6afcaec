/** What is said of a transcript before its entries. */
export interface ExportHead {
  readonly title: string;
  readonly who: string;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** What the JSON says of a thread beside its entries, to open it again. */
  readonly thread?: Readonly<Record<string, unknown>>;
}
