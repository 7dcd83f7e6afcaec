import { isRecord } from '../../../base/common/isRecord';
import { movedPath, type FolderMove } from './conversationPlace';
import { LogRecord } from '../conversation/logRecord';

/** Members of records that contain a path of a file or folder, or several. Inputs and results of tools stay as they were. */
const pathMembers: ReadonlySet<string> = new Set(['path', 'paths', 'folder', 'renamedFrom']);
const verbatimMembers: ReadonlySet<string> = new Set(['input', 'output', 'attachments']);

/**
 * Returns the records with the paths that their files have now. `moves` are those since the last record; earlier ones are
 * records themselves (`relocated`), which are left out of the result.
 */
export function relocateRecords(records: readonly LogRecord[], moves: readonly FolderMove[]): readonly LogRecord[] {
  let steps: readonly (readonly FolderMove[])[] = moves.length === 0 ? [] : [moves];
  if (steps.length === 0 && !records.some(({ type }) => type === 'relocated')) return records;
  const relocated: LogRecord[] = [];
  for (const record of records.toReversed()) {
    if (record.type === 'relocated') steps = [record.moves, ...steps];
    else relocated.push(steps.length === 0 ? record : relocateRecord(record, steps));
  }
  return relocated.reverse();
}

function relocateRecord(record: LogRecord, steps: readonly (readonly FolderMove[])[]): LogRecord {
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
