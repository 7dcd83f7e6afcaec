import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { Coalescer, KeyedQueue, type Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { errorCode, messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { ChatError } from '../common/chatPorts';
import type { RecordsOfOtherWindow, ConversationFiles, ConversationHead } from '../common/chatStore';
import { hasSameFolders, type ConversationPlace, type FolderMove } from '../common/conversations/conversationPlace';
import type { LogRecord } from '../common/conversation/logRecord';
import { relocateRecords } from '../common/conversations/relocateRecords';
import { logFileName, textsFolderName } from './addConversationCopy';
import type { FilePort } from '../../base/node/filePort';
import { LogFollower } from './logFollower';
import { LogReader } from './logReader';
import { LogWriter } from './logWriter';
import type { FileLock } from '../../base/node/fileLock';

const headDelayMs = 250;
const headFailure = 'Cannot write the head of a conversation';
const textFailure = 'Cannot store the text of a file';
export const inUseElsewhereText =
  'In use in another VS Code window. Read-only here until you close that window or open another conversation in it.';
const takenOverText =
  'Another VS Code window took over this conversation, so it was stopped here. Open it from the list to read it.';
const newerVersionText =
  'This conversation was written by a newer version of Backline. You can read it here, but not continue it.';

/** Who can write to a conversation. `free`: no window is writing; `lost`: another window has become the writer. */
type Access = 'ours' | 'free' | 'theirs' | 'lost' | 'newer';

interface StoredSessionPorts {
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly folder: string;
  readonly headFile: string;
  readonly readHead: () => Promise<ConversationHead | undefined>;
  /** Returns the place of a conversation that continues in this window. Undefined if places are not known. */
  readonly placeContinued: (
    place: ConversationPlace | undefined,
    moves: readonly FolderMove[],
  ) => ConversationPlace | undefined;
  readonly onDidChangeHead: (head: ConversationHead) => void;
  /** Called when another window has deleted the conversation. */
  readonly onDeleted: () => void;
  readonly onClosed: () => void;
}

export interface ConversationFilesInitialState {
  readonly head: ConversationHead;
  readonly log: LogReader;
  readonly createLock: (onLost: () => void) => FileLock;
  /** The initial access; `ours` for a new conversation. */
  readonly access: Access;
  /** How paths in the log differ from those of this window, because folders were moved. */
  readonly moves: readonly FolderMove[];
  readonly makeFolder: () => Promise<void>;
}

/** The files of one conversation in one window. Reads what other windows write, until `claim` makes it the writer. */
export class DiskConversationFiles implements ConversationFiles {
  private currentHead: ConversationHead;
  /** Changes that are not in the head on disk yet. */
  private unsavedHeadChanges: Partial<ConversationHead> = {};
  /** Records that were appended before `claim`. */
  private unsavedRecords: LogRecord[] = [];
  private access: Access;
  private readonly lock: FileLock;
  private readonly logWriter: LogWriter;
  private readonly headCoalescer: Coalescer;
  private runningHeadWrite: Promise<unknown> = Promise.resolve();
  /** Reason of the last failure, by operation. */
  private readonly lastFailures = new Map<string, string>();
  private readonly queue = new KeyedQueue();
  private hasRecords: boolean;
  /** Whether the lock was lost for a while. The next write then first checks the log for records of other windows. */
  private isLogCheckDue = false;
  private isClosed = false;
  private readonly onListenerError = (error: unknown): void => this.ports.log.error('a listener failed', error);
  private readonly problemEmitter = new Emitter<void>(this.onListenerError);
  readonly onDidChangeProblem = this.problemEmitter.event;
  private readonly readRecordsEmitter = new Emitter<RecordsOfOtherWindow>(this.onListenerError);
  readonly onDidReadRecords = this.readRecordsEmitter.event;

  constructor(
    private readonly initialState: ConversationFilesInitialState,
    private readonly ports: StoredSessionPorts,
  ) {
    const { clock, files, log } = ports;
    this.currentHead = initialState.head;
    this.access = initialState.access;
    this.hasRecords = initialState.log.endOffset > 0;
    this.lock = initialState.createLock(() => this.loseLock());
    const ensureWritable = (): Promise<void> => this.ensureWritable();
    this.logWriter = new LogWriter(this.logFile, initialState.log.endOffset, { files, clock, log, ensureWritable });
    this.logWriter.onDidChangeProblem(() => this.problemEmitter.fire());
    this.headCoalescer = new Coalescer(clock, headDelayMs, () => this.writeHead());
  }

  get head(): ConversationHead {
    return this.currentHead;
  }

  get isOurs(): boolean {
    return this.access === 'ours';
  }

  get isInUseElsewhere(): boolean {
    return this.access === 'theirs';
  }

  get wasTakenOver(): boolean {
    return this.access === 'lost';
  }

  get readonlyReason(): string | undefined {
    if (this.access === 'newer') return newerVersionText;
    if (this.access === 'lost') return takenOverText;
    return this.access === 'theirs' ? inUseElsewhereText : undefined;
  }

  get problem(): string | undefined {
    return this.logWriter.problem;
  }

  append(record: LogRecord): void {
    if (this.isClosed) return;
    if (this.access === 'free') this.unsavedRecords.push(record);
    if (this.access !== 'ours') return;
    this.logWriter.append(record);
    if (this.hasRecords) return;
    this.hasRecords = true;
    this.updateHead({});
  }

  updateHead(change: Partial<ConversationHead>): void {
    this.currentHead = { ...this.currentHead, ...change };
    this.unsavedHeadChanges = { ...this.unsavedHeadChanges, ...change };
    // Conversations without messages are not listed.
    if (!this.hasRecords || this.isClosed || this.access === 'lost') return;
    this.ports.onDidChangeHead(this.currentHead);
    if (this.access !== 'newer') this.headCoalescer.schedule();
  }

  /** Applies a head that another window has written. */
  applyHead(head: ConversationHead): void {
    if (!this.isOurs) this.currentHead = { ...head, ...this.unsavedHeadChanges };
  }

  async claim(): Promise<void> {
    await this.queue.run('access', () => this.claimNow());
  }

  async catchUp(): Promise<void> {
    await this.queue.run('access', () => this.readNewRecords());
  }

  follow(): Disposable {
    const { clock, files, folder, log } = this.ports;
    const readNewRecords = (): Promise<boolean> => this.queue.run('access', () => this.readNewRecords());
    const follower = new LogFollower({ files, clock, log, folder, readNewRecords });
    follower.start();
    return follower;
  }

  async flush(): Promise<void> {
    if (this.access === 'newer' || this.access === 'lost') return;
    this.headCoalescer.flushNow();
    if (this.isOurs) await this.logWriter.flush();
    await this.runningHeadWrite;
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    await this.queue.run('access', () => this.flush());
    this.isClosed = true;
    this.logWriter.dispose();
    this.headCoalescer.dispose();
    if (this.isOurs) await this.lock.release();
    else this.lock.dispose();
    this.ports.onClosed();
    this.problemEmitter.dispose();
    this.readRecordsEmitter.dispose();
  }

  idOf(text: string): string {
    return createHash('sha256').update(text).digest('hex');
  }

  async putText(text: string): Promise<string> {
    const id = this.idOf(text);
    if (!this.isOurs) return id;
    try {
      await this.ensureWritable();
      const folder = this.textFolder;
      await this.ports.files.makeFolder(folder);
      await this.ports.files.createNew(path.join(folder, id), text);
      this.lastFailures.delete(textFailure);
    } catch (error) {
      this.warnOnce(textFailure, error);
    }
    return id;
  }

  async getText(id: string): Promise<string | undefined> {
    if (!/^[0-9a-f]{64}$/.test(id)) return undefined;
    const text = await this.ports.files.read(path.join(this.textFolder, id)).catch(() => undefined);
    return text !== undefined && this.idOf(text) === id ? text : undefined;
  }

  private get logFile(): string {
    return path.join(this.ports.folder, logFileName);
  }

  private get textFolder(): string {
    return path.join(this.ports.folder, textsFolderName);
  }

  /** Whether there is no log, because it was deleted or never written. */
  private async isLogMissing(): Promise<boolean> {
    return (await this.ports.files.modifiedAt(this.logFile)) === undefined;
  }

  private async claimNow(): Promise<void> {
    if (this.isOurs) return;
    const { readonlyReason } = this;
    if (this.access !== 'theirs' && readonlyReason !== undefined) throw new ChatError('readonly', readonlyReason);
    const { log, readHead } = this.ports;
    if (this.isClosed || (await this.isLogMissing())) {
      throw new ChatError('notFound', 'This conversation was deleted in another window.');
    }
    // If the folder can't be written, the next write reports it.
    const isLocked = await this.lock.acquire().catch((error: unknown) => {
      log.warn(`Cannot lock a conversation: ${messageOf(error)}`);
      return undefined;
    });
    if (isLocked === false) {
      this.applyAccess([], 'theirs');
      throw new ChatError('readonly', inUseElsewhereText);
    }
    try {
      const head = await readHead();
      if (head) this.applyHead(head);
      const records = await this.readNewLogRecords();
      this.logWriter.nextOffset = this.initialState.log.endOffset;
      this.applyAccess(records, 'ours');
    } catch (error) {
      await this.lock.release();
      throw error;
    }
    this.recordPlace();
    for (const record of this.unsavedRecords.splice(0)) this.logWriter.append(record);
  }

  /** Records that the conversation continues in this window. All later records contain the paths of this window. */
  private recordPlace(): void {
    const { moves } = this.initialState;
    const { place } = this.currentHead;
    const next = this.ports.placeContinued(place, moves);
    if (!next) return;
    if (moves.length > 0) this.logWriter.append({ type: 'relocated', at: this.ports.clock.now(), moves: [...moves] });
    if (moves.length > 0 || !place || !hasSameFolders(place, next)) this.updateHead({ place: next });
  }

  /** Reads records that others have written. Resolves to whether to keep following the log. Never rejects. */
  private async readNewRecords(): Promise<boolean> {
    if (this.isClosed || (this.access !== 'free' && this.access !== 'theirs')) return false;
    try {
      // The lock must be checked before reading: if it is free, the log is complete.
      const isHeld = await this.lock.isHeldElsewhere();
      if (await this.isLogMissing()) {
        this.applyAccess([], 'free');
        return false;
      }
      this.applyAccess(await this.readNewLogRecords(), isHeld ? 'theirs' : 'free');
    } catch (error) {
      this.ports.log.debug(`Cannot follow a conversation: ${messageOf(error)}`);
    }
    return true;
  }

  private async readNewLogRecords(): Promise<readonly LogRecord[]> {
    const { records } = await this.initialState.log.read();
    // The window that wrote these records has received the same events.
    if (records.length > 0) this.unsavedRecords = [];
    return relocateRecords(records, this.initialState.moves);
  }

  /** Ensures before each write that this window has the lock. @throws ChatError `readonly`, and errors of the file port */
  private async ensureWritable(): Promise<void> {
    // The check is queued, because the log and the head may be written at the same time.
    await this.queue.run('lock', () => this.ensureLock());
  }

  private async ensureLock(): Promise<void> {
    await this.initialState.makeFolder();
    const lock = await this.lock.ensureHeld();
    if (lock === 'taken') this.isLogCheckDue = true;
    const isTheirs = lock === 'theirs' || (this.isLogCheckDue && (await this.wasWrittenByOthers()));
    if (!isTheirs) {
      // A check that fails is repeated with the next write, which finds the lock already held.
      this.isLogCheckDue = false;
      return;
    }
    this.loseLock();
    throw new ChatError('readonly', inUseElsewhereText);
  }

  /** Whether another window has written records while the lock was lost. @throws errors of the file port */
  private async wasWrittenByOthers(): Promise<boolean> {
    const { nextOffset } = this.logWriter;
    if (nextOffset === 0 && (await this.isLogMissing())) return false;
    const tail = new LogReader(this.ports.files, this.logFile, nextOffset);
    await tail.read();
    return tail.endOffset > nextOffset;
  }

  /** Stops writing because another window has become the writer. */
  private loseLock(): void {
    if (this.isClosed || this.access === 'lost') return;
    this.access = 'lost';
    this.logWriter.dispose();
    this.headCoalescer.dispose();
    void this.lock.release();
    this.ports.onClosed();
    this.problemEmitter.fire();
  }

  private applyAccess(records: readonly LogRecord[], access: Access): void {
    const isOther = this.access !== access;
    this.access = access;
    if (records.length > 0 || isOther) this.readRecordsEmitter.fire({ records, isWriterGone: access !== 'theirs' });
    if (isOther) this.problemEmitter.fire();
  }

  private async handleDeletion(): Promise<void> {
    if (!(await this.isLogMissing())) return;
    this.hasRecords = false;
    this.ports.onDeleted();
  }

  /** Logs a failure only once until it is over, because writes are retried with each change. */
  private warnOnce(failure: string, error: unknown): void {
    const reason = errorCode(error) ?? messageOf(error);
    if (this.lastFailures.get(failure) === reason) return;
    this.lastFailures.set(failure, reason);
    this.ports.log.warn(`${failure}: ${messageOf(error)}`);
  }

  /** Writes only members that have changed, because other windows may have changed the title. */
  private writeHead(): void {
    const { files, headFile, readHead } = this.ports;
    const write = async (): Promise<void> => {
      if (this.access === 'lost') return;
      if (this.isOurs) await this.ensureWritable();
      const stored = await readHead();
      // If the head is missing, the conversation is being deleted. Then only the writer may create it again.
      if (!stored && !this.isOurs) {
        await this.handleDeletion();
        return;
      }
      const written = this.unsavedHeadChanges;
      if (stored) this.currentHead = { ...stored, ...written };
      await files.replace(headFile, JSON.stringify(this.currentHead));
      if (this.unsavedHeadChanges === written) this.unsavedHeadChanges = {};
    };
    this.runningHeadWrite = this.runningHeadWrite
      .then(write)
      .then(() => this.lastFailures.delete(headFailure))
      .catch((error: unknown) => this.warnOnce(headFailure, error));
  }
}
