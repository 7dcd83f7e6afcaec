import { isRecord } from '../../../base/common/isRecord';
import { movedPath, type FolderMove } from './conversationPlace';
import { LogRecord } from '../conversation/logRecord';

/** Members of records that contain a path of a file or folder, or several. Inputs and results of tools stay as they were. */
const pathMembers: ReadonlySet<string> = new Set(['path', 'paths', 'folder', 'renamedFrom']);
const verbatimMembers: ReadonlySet<string> = new Set(['input', 'output', 'attachments']);

/** Moves that happened at the same time. */
type Step = readonly FolderMove[];

/**
 * Gives the records of a log the paths that their files have now, a part of the log at a time. `relocated` are the moves of
 * all `relocated` records of the log, in their order; these records are left out of the result. `moves` are those since the
 * last record.
 */
export class RecordRelocator {
  /** The moves after the next record. */
  private steps: readonly Step[];

  constructor(relocated: readonly Step[], moves: Step) {
    this.steps = moves.length === 0 ? relocated : [...relocated, moves];
  }

  /** Call in the order of the log, with records that are whole and have the paths with which they were written. */
  relocate(records: readonly LogRecord[]): readonly LogRecord[] {
    if (this.steps.length === 0) return records;
    return records.flatMap((record) => {
      if (record.type !== 'relocated') return this.steps.length === 0 ? record : relocateRecord(record, this.steps);
      this.steps = this.steps.slice(1);
      return [];
    });
  }
}

/** Returns the records of a log, or of the end of one, as `RecordRelocator` does. */
export function relocateRecords(records: readonly LogRecord[], moves: Step): readonly LogRecord[] {
  const relocated = records.flatMap((record) => (record.type === 'relocated' ? [record.moves] : []));
  return new RecordRelocator(relocated, moves).relocate(records);
}

function relocateRecord(record: LogRecord, steps: readonly Step[]): LogRecord {
  const move = (path: string): string => steps.reduce((now, moves) => movedPath(now, moves) ?? now, path);
  const parsed = LogRecord.safeParse(relocateMembers(record, move, false));
  return parsed.success ? parsed.data : record;
}

function relocateMembers(value: unknown, move: (path: string) => string, isPath: boolean): unknown {
  if (typeof value === 'string') return isPath ? move(value) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => relocateMembers(item, move, isPath));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      verbatimMembers.has(name) ? member : relocateMembers(member, move, pathMembers.has(name)),
    ]),
  );
}
