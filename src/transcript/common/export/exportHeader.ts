export interface ExportHeader {
  readonly title: string;
  readonly agentName: string;
  /** Time of creation, in milliseconds since the epoch. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** Additional data of a thread. The JSON export contains it, so that the file can be reopened. */
  readonly thread?: Readonly<Record<string, unknown>>;
}
