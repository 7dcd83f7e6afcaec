import { approximateUtf16Units } from '../../../base/common/text/approximateUtf16Units';
import { Coalescer, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { errorCode, messageOf, userMessageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { logVersion, mergeDeltas, type LogRecord, type RecordOf } from '../../common/conversation/logRecord';
import { CallGrowthWriter, isShortened } from '../../common/log/callGrowth';
import type { FilePort } from '../../../base/node/filePort';

const writeDelayMs = 50;
const retryMs = 5000;
/** Time in milliseconds after which a write that has not finished is reported as a problem. */
const slowMs = 10_000;
/** Maximum size of records that are kept while writing fails, in UTF-16 units. */
const maxWaitingUnits = 32 * 1024 * 1024;
/** The same while a write takes long, but may still succeed. */
const maxSlowUnits = 128 * 1024 * 1024;

/**
 * Size of records that may wait for a disk that works, in UTF-16 units. Who adds more should wait, see `whenStored`. What waits for
 * long makes V8's memory grow, because it outlives several collections.
 */
export const maxUnstoredUnits = 1024 * 1024;

/** How long to wait for the disk at once, in milliseconds. Answers of an agent that waits are late by as much. */
const maxStoringMs = 2000;

/** Events that are written without delay, because users expect them to be saved. */
const eventsToFlush: ReadonlySet<string> = new Set(['prompt:complete', 'error', 'approval:required', 'session:end']);

interface LogWriterPorts {
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called before each write. Resolves when the folder exists and is locked. */
  readonly ensureWritable: () => Promise<void>;
  /** Returns the record that says which version writes the log. */
  readonly newBegin: () => RecordOf<'begin'>;
}

/** Appends records to a log in order and in batches. Records that could not be written are retried. */
export class LogWriter implements Disposable {
  private pendingLines: string[] = [];
  private pendingUnits = 0;
  /** The newest record. The next record may be merged into it. */
  private lastRecord: LogRecord | undefined;
  private lastRecordUnits = 0;
  /** Size of the records that are being written, in UTF-16 units. */
  private runningUnits = 0;
  private readonly storedListeners = new Set<() => void>();
  private readonly callGrowth = new CallGrowthWriter();
  /** Version of the log, of which older versions of Backline see whether they can read it. Set it before the first record. */
  version = 0;
  private runningWrite: Promise<void> | undefined;
  private hasLostRecords = false;
  private currentProblem: string | undefined;
  /** Whether the last write that has ended failed. A slow write is a problem, but no failure. */
  private hasFailed = false;
  /** Set while the next attempt after a failure waits for its time. */
  private retryTimer: Disposable | undefined;
  private slowTimer: Disposable | undefined;
  private isDisposed = false;
  private readonly coalescer: Coalescer;
  private readonly emitter = new Emitter<void>((error) => this.ports.log.error('a listener failed', error));
  readonly onDidChangeProblem = this.emitter.event;

  constructor(
    private readonly file: string,
    /** Offset of the next write, in bytes. Set it before the first record. */
    public nextOffset: number,
    private readonly ports: LogWriterPorts,
  ) {
    this.coalescer = new Coalescer(ports.clock, writeDelayMs, () => void this.flush());
  }

  get problem(): string | undefined {
    return this.currentProblem;
  }

  append(record: LogRecord): void {
    const merged = this.lastRecord && mergeDeltas(this.lastRecord, record);
    if (merged) {
      this.lastRecord = merged;
    } else {
      this.serializeLast();
      this.lastRecord = record;
    }
    this.lastRecordUnits += approximateUtf16Units(record);
    // An attempt costs as much as all that waits, so after a failure, records do not bring the next one forward.
    const isRetryLater = this.retryTimer !== undefined;
    if (mustFlush(record) || (!isRetryLater && this.unstoredUnits > maxUnstoredUnits)) void this.flush();
    else if (!isRetryLater) this.coalescer.schedule();
  }

  /** Approximate size of the records that are not on disk, in UTF-16 units. */
  get unstoredUnits(): number {
    return this.runningUnits + this.pendingUnits + this.lastRecordUnits;
  }

  /**
   * Resolves when few records wait for the disk, when the disk fails, so that the conversation continues in memory, and after
   * 2 s. Undefined if there is nothing to wait for. Never rejects.
   */
  whenStored(): Promise<void> | undefined {
    if (this.isDisposed || this.hasFailed || this.unstoredUnits <= maxUnstoredUnits) return undefined;
    return new Promise((resolve) => {
      const release = (): void => {
        timer.dispose();
        this.storedListeners.delete(release);
        resolve();
      };
      const timer = this.ports.clock.setTimer(maxStoringMs, release);
      this.storedListeners.add(release);
    });
  }

  /** Writes pending records. Never rejects. */
  async flush(): Promise<void> {
    this.coalescer.dispose();
    // The second round writes the records that were added during the first.
    for (let round = 0; round < 2 && this.hasPending; round++) {
      this.runningWrite ??= this.writePending().finally(() => (this.runningWrite = undefined));
      await this.runningWrite;
      if (this.hasFailed) return;
    }
  }

  /** Drops records that were not written. */
  dispose(): void {
    this.isDisposed = true;
    this.coalescer.dispose();
    this.retryTimer?.dispose();
    this.slowTimer?.dispose();
    this.emitter.dispose();
    this.releaseWaiting();
  }

  private get hasPending(): boolean {
    return this.runningWrite !== undefined || this.pendingLines.length > 0 || this.lastRecord !== undefined;
  }

  private serializeLast(): void {
    if (!this.lastRecord) return;
    const record = this.callGrowth.shorten(this.lastRecord);
    this.lastRecord = undefined;
    this.lastRecordUnits = 0;
    if (!record) return;
    // An older version may have begun the log. From here on, it can't read all of it.
    if (this.version < logVersion && isShortened(record)) this.pushRecord(this.ports.newBegin());
    this.pushRecord(record);
  }

  private pushRecord(record: LogRecord): void {
    if (record.type === 'begin') this.version = record.version;
    this.pushLine(`${JSON.stringify(record)}\n`);
  }

  private pushLine(line: string): void {
    this.pendingLines.push(line);
    this.pendingUnits += line.length;
    if (this.currentProblem === undefined) return;
    if (this.pendingUnits <= (this.hasFailed ? maxWaitingUnits : maxSlowUnits)) return;
    this.hasLostRecords = true;
    this.callGrowth.reset();
    this.version = 0;
    this.pendingLines = [];
    this.pendingUnits = 0;
  }

  private async writePending(): Promise<void> {
    const { clock, files, log, ensureWritable } = this.ports;
    this.retryTimer?.dispose();
    this.retryTimer = undefined;
    this.serializeLast();
    const pending = this.pendingLines;
    const units = this.pendingUnits;
    this.pendingLines = [];
    this.pendingUnits = 0;
    this.runningUnits = units;
    const lost = this.hasLostRecords ? [`${JSON.stringify(lostRecord(clock.now()))}\n`] : [];
    // More may be lost while this is written.
    this.hasLostRecords = false;
    const bytes = Buffer.from([...lost, ...pending].join(''));
    this.slowTimer = clock.setTimer(slowMs, () => this.setProblem(this.currentProblem ?? slowProblem));
    try {
      await ensureWritable();
      if (this.isDisposed) return;
      await files.writeAtAndTruncate(this.file, this.nextOffset, bytes);
      this.nextOffset += bytes.length;
      this.hasFailed = false;
      this.setProblem(undefined);
    } catch (error) {
      if (this.isDisposed) return;
      this.hasFailed = true;
      this.hasLostRecords ||= lost.length > 0;
      this.releaseWaiting();
      this.runningUnits = 0;
      this.pendingLines = [...pending, ...this.pendingLines];
      this.pendingUnits += units;
      const problem = describeWriteProblem(error);
      // Logged only once, because the write is retried every few seconds.
      if (problem !== this.currentProblem) log.warn(`A conversation could not be written: ${messageOf(error)}`);
      this.setProblem(problem);
      this.coalescer.dispose();
      this.retryTimer = clock.setTimer(retryMs, () => {
        this.retryTimer = undefined;
        void this.flush();
      });
    } finally {
      this.slowTimer.dispose();
      this.runningUnits = 0;
      if (this.unstoredUnits <= maxUnstoredUnits) this.releaseWaiting();
    }
  }

  private releaseWaiting(): void {
    for (const release of [...this.storedListeners]) release();
  }

  private setProblem(problem: string | undefined): void {
    if (this.currentProblem === problem) return;
    this.currentProblem = problem;
    this.emitter.fire();
  }
}

function mustFlush(record: LogRecord): boolean {
  if (record.type !== 'event') return record.type !== 'notice' && record.type !== 'snapshot';
  return eventsToFlush.has(record.event.event);
}

function lostRecord(at: number): LogRecord {
  return {
    type: 'notice',
    at,
    level: 'warning',
    text: 'Part of the conversation is missing here because it could not be saved.',
  };
}

const slowProblem = 'The disk is slow. The last part of the conversation isn’t saved yet. Keep this window open.';

export function describeWriteProblem(error: unknown): string {
  const consequence = 'The conversation continues in memory only and is lost when this window closes.';
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk is full. ${consequence} Free some space. Backline retries automatically.`;
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return `The conversations folder isn’t writable. ${consequence} Check its permissions. Backline retries automatically.`;
    case 'ENOENT':
      return `This conversation’s files are missing. ${consequence} Restore them, or copy what you need. Backline retries automatically.`;
    default:
      return `The conversation could not be saved. ${userMessageOf(error)} ${consequence} Backline retries automatically.`;
  }
}
