export interface ExportHeader {
  readonly title: string;
  readonly agentName: string;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** Data that the JSON export needs to reopen a thread. */
  readonly thread?: Readonly<Record<string, unknown>>;
}
