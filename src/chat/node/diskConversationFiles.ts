import * as path from 'node:path';
import { Coalescer, KeyedQueue, type Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { ChatError } from '../common/chatPorts';
import type { RecordsOfOtherWindow, ConversationFiles, ConversationHead } from '../common/chatStore';
import { isEqualPlace, type ConversationPlace, type FolderMove } from '../common/conversations/conversationPlace';
import { isPrompt, logVersion, type LogRecord } from '../common/conversation/logRecord';
import { relocateRecords } from '../common/conversations/relocateRecords';
import { logFileName, textsFolderName } from './conversationNames';
import { unreadableError } from './conversationErrors';
import { RepeatedFailures } from './repeatedFailures';
import { ConversationTexts } from './conversationTexts';
import type { FilePort } from '../../base/node/filePort';
import { acquireOrAsk, readonlyError, readonlyReasonOf, type Access } from './conversationAccess';
import type { HeadChange } from './heads/headFiles';
import { withOthersChanges } from './heads/othersChanges';
import { compactUnusedLog } from './log/compactLog';
import { LogFollower } from './log/logFollower';
import { wasWrittenAfter, type LogReader } from './log/logReader';
import { LogWriter } from './log/logWriter';
import type { FileLock } from '../../base/node/fileLock';

const headDelayMs = 250;
const headFailure = 'Cannot write the head of a conversation';
const textFailure = 'Cannot store the text of a file';
/** Size above which superseded updates are removed from a log, in bytes. */
const maxSupersededBytes = 1024 * 1024;

interface StoredSessionPorts {
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly folder: string;
  readonly readHead: () => Promise<ConversationHead | undefined>;
  /** @throws errors of the file port */
  readonly changeHead: (change: HeadChange) => Promise<ConversationHead | undefined>;
  /** Returns the place of a conversation that continues in this window. Undefined if places are not known. */
  readonly placeContinued: (
    place: ConversationPlace | undefined,
    moves: readonly FolderMove[],
  ) => ConversationPlace | undefined;
  /** Asks the user whether a conversation of another folder continues here. Resolves to true for one of this window. */
  readonly confirmContinueHere: (id: string) => Promise<boolean>;
  /** Asks the window that is the writer to release the conversation. @throws ChatError if it does not */
  readonly askToRelease: ((id: string) => Promise<void>) | undefined;
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
  private readonly texts: ConversationTexts;
  private readonly headCoalescer: Coalescer;
  private runningHeadWrite: Promise<unknown> = Promise.resolve();
  private readonly failures: RepeatedFailures;
  private readonly queue = new KeyedQueue();
  private hasRecords: boolean;
  /** Whether the lock was lost for a while. The next write then first checks the log for records of other windows. */
  private isLogCheckDue = false;
  private isClosed = false;
  private readonly onListenerError = (error: unknown): void => this.ports.log.error('a listener failed', error);
  private readonly stateEmitter = new Emitter<void>(this.onListenerError);
  readonly onDidChangeState = this.stateEmitter.event;
  private readonly readRecordsEmitter = new Emitter<RecordsOfOtherWindow>(this.onListenerError);
  readonly whenStored = (): Promise<void> | undefined => this.logWriter.whenStored();
  readonly onDidReadRecords = this.readRecordsEmitter.event;
  moves: readonly FolderMove[];
  usedAtMs: number;

  constructor(
    private readonly initialState: ConversationFilesInitialState,
    private readonly ports: StoredSessionPorts,
  ) {
    const { clock, files, log } = ports;
    this.failures = new RepeatedFailures(log);
    this.usedAtMs = clock.monotonicNow();
    this.currentHead = initialState.head;
    this.access = initialState.access;
    this.moves = initialState.moves;
    this.hasRecords = initialState.access !== 'ours';
    this.lock = initialState.createLock(() => this.loseLock());
    this.texts = new ConversationTexts(files, path.join(ports.folder, textsFolderName));
    const { backendId, id, preset } = initialState.head;
    const newBegin = () => ({ type: 'begin' as const, at: clock.now(), version: logVersion, id, backendId, preset });
    const logPorts = { files, clock, log, ensureWritable: () => this.ensureWritable(), newBegin };
    this.logWriter = new LogWriter(this.logFile, initialState.log.endOffset, logPorts);
    this.logWriter.onDidChangeProblem(() => this.stateEmitter.fire());
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
    return readonlyReasonOf(this.access);
  }

  get problem(): string | undefined {
    return this.logWriter.problem;
  }

  append(record: LogRecord): void {
    if (this.isClosed) return;
    this.noteUse();
    if (this.access === 'free') this.unsavedRecords.push(record);
    if (this.access !== 'ours') return;
    this.logWriter.append(record);
    if (isPrompt(record)) this.recordPlace([]);
    if (this.hasRecords) return;
    this.hasRecords = true;
    this.updateHead({});
  }

  updateHead(change: Partial<ConversationHead>): void {
    if (change.draft) this.noteUse();
    this.currentHead = { ...this.currentHead, ...change };
    this.unsavedHeadChanges = { ...this.unsavedHeadChanges, ...change };
    // Conversations without messages are not listed.
    if (!this.hasRecords || this.isClosed || this.access === 'lost') return;
    this.ports.onDidChangeHead(this.currentHead);
    if (this.access !== 'newer') this.headCoalescer.schedule();
  }

  /** Applies a head that another window has written. */
  applyHead(head: ConversationHead): void {
    const { currentHead: before, isOurs } = this;
    this.currentHead = { ...(isOurs ? withOthersChanges(before, head) : head), ...this.unsavedHeadChanges };
    if (isOurs && JSON.stringify(this.currentHead) === JSON.stringify(before)) return;
    if (isOurs) this.ports.onDidChangeHead(this.currentHead);
    this.stateEmitter.fire();
  }

  async readStored(apply: (records: readonly LogRecord[]) => void): Promise<string | undefined> {
    return await this.queue.run('access', async () => {
      const { log } = this.initialState;
      try {
        const { damage, isNewer, isReplaced } = await log.readRelocated(apply, this.moves, this.access === 'theirs');
        if (isReplaced) throw new Error('The conversation was compacted or changed while it was read. Open it again.');
        if (isNewer) this.access = 'newer';
        if (this.access === 'free' && log.supersededBytes > maxSupersededBytes) void this.compact();
        return damage;
      } catch (error) {
        throw unreadableError(error);
      }
    });
  }

  async claim(): Promise<void> {
    this.noteUse();
    await this.queue.run('access', () => this.claimNow());
  }

  async catchUp(): Promise<void> {
    await this.queue.run('access', () => this.readNewRecords());
  }

  follow(): Disposable {
    const readNewRecords = (): Promise<boolean> => this.queue.run('access', () => this.readNewRecords());
    const follower = new LogFollower({ ...this.ports, readNewRecords });
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
    this.stateEmitter.dispose();
    this.readRecordsEmitter.dispose();
  }

  idOf(text: string): string {
    return this.texts.idOf(text);
  }

  async putText(text: string): Promise<string> {
    const id = this.idOf(text);
    const store = (): Promise<void> => this.ensureWritable().then(() => this.texts.put(text));
    if (this.isOurs) await this.failures.run(textFailure, store);
    return id;
  }

  getText(id: string): Promise<string | undefined> {
    return this.texts.get(id);
  }

  private noteUse(): void {
    this.usedAtMs = this.ports.clock.monotonicNow();
  }

  private get logFile(): string {
    return path.join(this.ports.folder, logFileName);
  }

  /** Whether there is no log, because it was deleted or never written. */
  private async isLogMissing(): Promise<boolean> {
    return (await this.ports.files.modifiedAt(this.logFile)) === undefined;
  }

  /** Writes the log again without what is superseded, unless another window uses it. Never rejects. */
  private async compact(): Promise<void> {
    await this.queue.run('access', async () => {
      if (this.isClosed || this.access !== 'free') return;
      const { files, log } = this.ports;
      await compactUnusedLog(files, this.logFile, this.lock, this.initialState.log).catch((error: unknown) =>
        log.warn(`Cannot compact a conversation: ${messageOf(error)}`),
      );
    });
  }

  private async claimNow(): Promise<void> {
    if (this.isOurs) return;
    const { readonlyReason } = this;
    if (this.access !== 'theirs' && readonlyReason !== undefined) throw new ChatError('readonly', readonlyReason);
    const { askToRelease, confirmContinueHere, log, readHead } = this.ports;
    // Asked first, because other windows go on while the user decides.
    if (!(await confirmContinueHere(this.currentHead.id))) throw readonlyError('notHere');
    if (this.isClosed || (await this.isLogMissing())) {
      throw new ChatError('notFound', 'This conversation was deleted in another window.');
    }
    await acquireOrAsk(this.lock, log, () => {
      this.applyAccess([], 'theirs');
      return askToRelease?.(this.currentHead.id);
    });
    try {
      const head = await readHead();
      if (head) {
        this.applyHead(head);
        this.ports.onDidChangeHead(this.currentHead);
      }
      const records = await this.readNewLogRecords();
      this.logWriter.nextOffset = this.initialState.log.endOffset;
      this.logWriter.version = this.initialState.log.version;
      this.applyAccess(records, 'ours');
    } catch (error) {
      await this.lock.release();
      throw error;
    }
    this.recordPlace(this.moves);
    for (const record of this.unsavedRecords.splice(0)) this.logWriter.append(record);
  }

  /** Records that the conversation continues in this window, with the folders that it has now. Later records have its paths. */
  private recordPlace(moves: readonly FolderMove[]): void {
    const { place } = this.currentHead;
    const next = this.ports.placeContinued(place, moves);
    if (!next || (moves.length === 0 && place && isEqualPlace(place, next))) return;
    if (moves.length > 0) this.logWriter.append({ type: 'relocated', at: this.ports.clock.now(), moves: [...moves] });
    this.updateHead({ place: next });
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
    const records: LogRecord[] = [];
    const { isNewer, isReplaced } = await this.initialState.log.read((some) => void records.push(...some));
    if (isReplaced) {
      this.loseLock();
      throw new ChatError('readonly', 'Another VS Code window has compacted this conversation. Open it again.');
    }
    // The other window has the folder at the same place, and wrote how it was moved there.
    if (records.some(({ type }) => type === 'relocated')) this.moves = [];
    if (isNewer) {
      this.applyAccess(relocateRecords(records, this.moves), 'newer');
      throw readonlyError('newer');
    }
    // The window that wrote these records has received the same events.
    if (records.length > 0) this.unsavedRecords = [];
    return relocateRecords(records, this.moves);
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
    const isTheirs =
      lock === 'theirs' ||
      (this.isLogCheckDue && (await wasWrittenAfter(this.ports.files, this.logFile, this.logWriter.nextOffset)));
    if (!isTheirs) {
      // A check that fails is repeated with the next write, which finds the lock already held.
      this.isLogCheckDue = false;
      return;
    }
    this.loseLock();
    throw readonlyError('theirs');
  }

  /** Stops writing because another window has become the writer. */
  private loseLock(): void {
    if (this.isClosed || this.access === 'lost') return;
    this.access = 'lost';
    this.logWriter.dispose();
    this.headCoalescer.dispose();
    void this.lock.release();
    this.ports.onClosed();
    this.stateEmitter.fire();
  }

  private applyAccess(records: readonly LogRecord[], access: Access): void {
    const isOther = this.access !== access;
    this.access = access;
    if (records.length > 0 || isOther) this.readRecordsEmitter.fire({ records, isWriterGone: access !== 'theirs' });
    if (isOther) this.stateEmitter.fire();
  }

  private async handleDeletion(): Promise<void> {
    if (!(await this.isLogMissing())) return;
    this.hasRecords = false;
    this.ports.onDeleted();
  }

  /** Writes only members that have changed, because other windows may have changed the title. */
  private writeHead(): void {
    const write = async (): Promise<void> => {
      if (this.access === 'lost') return;
      if (this.isOurs) await this.ensureWritable();
      let written = this.unsavedHeadChanges;
      const isThere = await this.ports.changeHead((stored) => {
        written = this.unsavedHeadChanges;
        if (stored) this.currentHead = { ...stored, ...written };
        // If the head is missing, the conversation is being deleted. Then only the writer may create it again.
        return stored || this.isOurs ? this.currentHead : undefined;
      });
      if (!isThere) await this.handleDeletion();
      else if (this.unsavedHeadChanges === written) this.unsavedHeadChanges = {};
    };
    this.runningHeadWrite = this.runningHeadWrite.then(() => this.failures.run(headFailure, write));
  }
}
