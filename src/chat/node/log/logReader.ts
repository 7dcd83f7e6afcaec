import * as z from 'zod';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { parseJson } from '../../../base/common/parseJson';
import type { ByteRange, FilePort, ReadChunks } from '../../../base/node/filePort';
import { LogRecord, logVersion, normalizedLogVersion } from '../../common/conversation/logRecord';
import type { FolderMove } from '../../common/conversations/conversationPlace';
import { RecordRelocator } from '../../common/conversations/relocateRecords';
import { CallGrowthReader } from '../../common/log/callGrowth';
import { readLines, readOutlines, recordTypeBytes, type LogLine } from './logLines';
import { LogNormalizer } from './logNormalizer';
import { SupersededLines } from './supersededLines';

interface ReadLog {
  /** Message for the user if parts of the log could not be read. */
  readonly damage: string | undefined;
  /** Whether a newer version of Backline has written the log. */
  readonly isNewer: boolean;
  /** Whether the part that was read before is no longer there, because the log was compacted or cut. Nothing was read. */
  readonly isReplaced: boolean;
}

/** What the first pass over a log has found. */
interface ScannedLog {
  readonly relocated: readonly (readonly FolderMove[])[];
  /** Updates that later ones replace. */
  readonly skipped: readonly ByteRange[];
  /** Offset after the last complete line, in bytes. */
  readonly end: number;
  readonly isTorn: boolean;
}

type ApplyRecords = (records: readonly LogRecord[]) => void | Promise<void>;

const Version = z.object({ type: z.literal('begin'), version: z.number() });
/** Records are applied in batches of about this size, in bytes of their lines. */
const batchBytes = 1024 * 1024;
const maxBatch = 256;
/** Memory for a pass over a log that keeps nothing of it, in bytes. */
const scanBytes = 1024 * 1024;
/** Number of bytes before the offset by which a reader sees that the log was replaced. */
const tailBytes = 64;
const wantedBytes = 128;
const replacedLog: ReadLog = { damage: undefined, isNewer: false, isReplaced: true };
/** How often the first pass is done again because the log was replaced during it. */
const maxRescans = 2;

/** Reads a log, and later the records that were appended to it. Its memory does not grow with the log. */
export class LogReader {
  private readonly logNormalizer = new LogNormalizer();
  private readonly callGrowth = new CallGrowthReader();
  private isNormalized = false;
  /** Whether records were applied, but not all of them: after a failure, or because the log was cut meanwhile. */
  private isHalfRead = false;
  /** The highest version of Backline's logs that was read. 0: none. */
  version = 0;
  /** Size of the updates that later ones replace, in bytes. A compacted log does not contain them. */
  supersededBytes = 0;
  private tail = '';

  /**
   * `offset` is the position at which reading starts, in bytes. Only the records are read of which `wants` returns true, by the
   * first 128 bytes of their line.
   */
  constructor(
    private readonly files: FilePort,
    private readonly file: string,
    private offset = 0,
    private readonly wants: (start: string) => boolean = () => true,
  ) {}

  /** Offset after the last complete line, in bytes. Writing continues there. */
  get endOffset(): number {
    return this.offset;
  }

  /** Continues after the first `offset` bytes of a log that was compacted. */
  async continueAt(offset: number): Promise<void> {
    this.offset = offset;
    this.version = logVersion;
    this.tail = await this.readTail(offset);
  }

  /**
   * Reads all new records, with normalized events for all versions of the log. `isBeingWritten`: an incomplete last line
   * is no damage. After a failure in the middle, the log counts as replaced. @throws errors of the file port
   */
  async read(apply: ApplyRecords, isBeingWritten = false): Promise<ReadLog> {
    return await this.readScanned(() => apply, isBeingWritten);
  }

  /**
   * Reads all records that are there now, with the paths that their files have now. `moves` are those since the last record.
   * @throws errors of the file port
   */
  async readRelocated(apply: ApplyRecords, moves: readonly FolderMove[], isBeingWritten = false): Promise<ReadLog> {
    return await this.readScanned(({ relocated }) => {
      const relocator = new RecordRelocator(relocated, moves);
      return (records) => apply(relocator.relocate(records));
    }, isBeingWritten);
  }

  /** Another window can put a compacted log in the place of this one at any time, so both passes read the same open file. */
  private async readScanned(applyFor: (log: ScannedLog) => ApplyRecords, isBeingWritten: boolean): Promise<ReadLog> {
    for (let rescans = 0; ; rescans++) {
      const read = await this.files.whileOpen(this.file, async (readChunks) => {
        if (this.isHalfRead || !(await this.isContinuedBy(readChunks))) return replacedLog;
        const log = await this.scan(readChunks);
        // What was put in its place is read instead. If that goes on, this one is read: nothing is missing in it, either.
        if (rescans < maxRescans && (await this.wasReplacedBefore(log.end, readChunks))) return undefined;
        const { isCut, isNewer, unreadCount } = await this.readOn(applyFor(log), log, readChunks);
        const damage = damageOf(unreadCount, isCut || (log.isTorn && !isBeingWritten), isNewer);
        return { damage, isNewer, isReplaced: false };
      });
      if (read) return read;
    }
  }

  /** The first pass over what is new. It keeps nothing of it. A folder can have been moved after any record. */
  private async scan(readChunks: ReadChunks): Promise<ScannedLog> {
    const relocated: (readonly FolderMove[])[] = [];
    const superseded = new SupersededLines();
    let { isNormalized } = this;
    let end = this.offset;
    let isTorn = false;
    const memory = new Uint8Array(scanBytes);
    for await (const line of readOutlines(readChunks(this.offset, { memory }), this.offset)) {
      if (line === 'torn') {
        isTorn = true;
        break;
      }
      end = line.endOffset;
      const version = versionOf(line);
      if (version > 0) isNormalized = version >= normalizedLogVersion;
      if (isNormalized) superseded.add(line);
      else superseded.forgetAll();
      if (!line.start.slice(0, recordTypeBytes).includes('"relocated"')) continue;
      const record = await readRecord(readChunks(line.offset));
      if (record?.type === 'relocated') relocated.push(record.moves);
    }
    return { relocated, skipped: superseded.ranges, end, isTorn };
  }

  private async readOn(
    apply: ApplyRecords,
    { end, skipped }: ScannedLog,
    readChunks: ReadChunks,
  ): Promise<{ readonly isCut: boolean; readonly isNewer: boolean; readonly unreadCount: number }> {
    const batch = new RecordBatch(apply, (line) => (this.wants(line.start(wantedBytes)) ? this.recordsOf(line) : []));
    let isNewer = false;
    const how = { skipped: [...skipped, { start: end, end: Infinity }] };
    for await (const line of readLines(readChunks(this.offset, how))) {
      this.isHalfRead = true;
      const version = versionOf({ start: line.start(recordTypeBytes), text: () => line.text() });
      this.version = Math.max(this.version, version);
      if (version > 0) this.isNormalized = version >= normalizedLogVersion;
      if (version > logVersion) isNewer = true;
      await batch.add(line);
    }
    await batch.apply();
    for (const { end: last, start } of skipped) this.supersededBytes += last - start;
    this.offset = end;
    this.tail = await tailOf(readChunks, end);
    this.isHalfRead = !isWhole(this.tail, end);
    return { isCut: this.isHalfRead, isNewer, unreadCount: batch.unreadCount };
  }

  private recordsOf(line: LogLine): readonly LogRecord[] | undefined {
    const parsed = LogRecord.safeParse(parseJson(line.text())).data;
    return parsed && this.logNormalizer.normalize(this.callGrowth.restore(parsed));
  }

  private async isContinuedBy(readChunks: ReadChunks): Promise<boolean> {
    const tail = await tailOf(readChunks, this.offset);
    return this.tail === '' ? isWhole(tail, this.offset) : tail === this.tail;
  }

  /** Whether what has the name of the log is no longer the file of `readChunks`, or no longer has all bytes before `end`. */
  private async wasReplacedBefore(end: number, readChunks: ReadChunks): Promise<boolean> {
    if (end === this.offset) return false;
    const tail = await this.readTail(end);
    return !isWhole(tail, end) || tail !== (await tailOf(readChunks, end));
  }

  private async readTail(end: number): Promise<string> {
    return await this.files.whileOpen(this.file, (readChunks) => tailOf(readChunks, end));
  }
}

/** The last bytes before `end`, as Latin-1. Fewer if the file ends earlier. */
async function tailOf(readChunks: ReadChunks, end: number): Promise<string> {
  const start = Math.max(0, end - tailBytes);
  let tail = '';
  if (start === end) return tail;
  const how = { memory: new Uint8Array(tailBytes), skipped: [{ start: end, end: Infinity }] };
  for await (const chunk of readChunks(start, how)) tail += Buffer.from(chunk).toString('latin1');
  return tail;
}

/** Whether the file of this tail has all bytes before `end`. */
function isWhole(tail: string, end: number): boolean {
  return tail.length === Math.min(end, tailBytes);
}

async function readRecord(chunks: AsyncIterable<Uint8Array>): Promise<LogRecord | undefined> {
  for await (const line of readLines(chunks)) return LogRecord.safeParse(parseJson(line.text())).data;
  return undefined;
}

/** Collects records until there are enough to apply them. */
class RecordBatch {
  private records: LogRecord[] = [];
  private bytes = 0;
  unreadCount = 0;

  constructor(
    private readonly applyRecords: ApplyRecords,
    private readonly recordsOf: (line: LogLine) => readonly LogRecord[] | undefined,
  ) {}

  async add(line: LogLine): Promise<void> {
    if (line.size === 0) return;
    const records = this.recordsOf(line);
    if (records) this.records.push(...records);
    else this.unreadCount++;
    this.bytes += line.size;
    if (this.bytes >= batchBytes || this.records.length >= maxBatch) await this.apply();
  }

  async apply(): Promise<void> {
    const { records } = this;
    this.records = [];
    this.bytes = 0;
    if (records.length > 0) await this.applyRecords(records);
  }
}

/** By the start of a line, or all of it. 0 if it does not begin a log. */
function versionOf({ start, text = () => start }: { readonly start: string; readonly text?: () => string }): number {
  if (!start.slice(0, recordTypeBytes).includes('"begin"')) return 0;
  return Version.safeParse(parseJson(text())).data?.version ?? 0;
}

function damageOf(unread: number, isTorn: boolean, isNewer: boolean): string | undefined {
  if (isNewer) return 'This conversation was written by a newer version of Backline. Some of it may not be shown.';
  const sentences = [
    ...(unread > 0 ? [`${countWithNoun(unread, 'entry', 'entries')} in this conversation could not be read.`] : []),
    ...(isTorn ? ['Its last entry is incomplete.'] : []),
  ];
  return sentences.length > 0 ? `${sentences.join(' ')} Everything else is shown.` : undefined;
}

/** Whether a window has written records after byte `offset`, or has compacted the log. @throws errors of the file port */
export async function wasWrittenAfter(files: FilePort, logFile: string, offset: number): Promise<boolean> {
  if (offset === 0 && (await files.modifiedAt(logFile)) === undefined) return false;
  const tail = new LogReader(files, logFile, offset);
  return (await tail.read(() => undefined)).isReplaced || tail.endOffset > offset;
}
