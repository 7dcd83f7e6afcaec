import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { Coalescer, KeyedQueue, type Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { errorCode, messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { ChatError } from '../common/chatPorts';
import type { ReadOn, SessionFile, SessionHead } from '../common/chatStore';
import type { LogRecord } from '../common/conversation/logRecord';
import type { FilePort } from './filePort';
import { LogFollower } from './logFollower';
import { LogReader } from './logReader';
import { LogWriter } from './logWriter';
import type { SessionLock } from './sessionLock';

const headDelayMs = 250;
const headTrouble = 'Cannot write the head of a conversation';
const textTrouble = 'Cannot store the text of a file';
export const otherWindow =
  'In use in another VS Code window. Read-only here until that window is closed, or a few minutes after it shows another conversation.';
const takenOver =
  'Another VS Code window took over this conversation, so it was stopped here. Open it from the list to read it.';
const newerVersion =
  'This conversation was written by a newer version of Backline. You can read it here, but not continue it.';

/** Who may write a conversation. `free`: no window; `lost`: another window took over from this one. */
type Access = 'ours' | 'free' | 'theirs' | 'lost' | 'newer';

interface StoredSessionPorts {
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly folder: string;
  readonly headFile: string;
  /** Reads the head from disk. */
  readonly readHead: () => Promise<SessionHead | undefined>;
  readonly onDidChangeHead: (head: SessionHead) => void;
  /** Called when another window has deleted the conversation. */
  readonly onGone: () => void;
  readonly onClosed: () => void;
}

/** The state of a conversation when it is opened. */
export interface StoredStart {
  readonly head: SessionHead;
  readonly log: LogReader;
  readonly lockFor: (onLost: () => void) => SessionLock;
  /** `ours` for a new conversation. */
  readonly access: Access;
  /** Creates its folder if necessary. */
  readonly makeFolder: () => Promise<void>;
}

/** The files of one conversation, opened by one window. Follows what other windows write until `claim` makes it the writer. */
export class StoredSession implements SessionFile {
  private current: SessionHead;
  /** Changes not yet in the head on disk. */
  private unsavedHead: Partial<SessionHead> = {};
  /** Records appended before `claim`. */
  private unsaved: LogRecord[] = [];
  private access: Access;
  private readonly lock: SessionLock;
  private readonly writer: LogWriter;
  private readonly headSoon: Coalescer;
  private headWrite: Promise<unknown> = Promise.resolve();
  /** Reason of the last failure, by operation. */
  private readonly troubles = new Map<string, string>();
  private readonly queue = new KeyedQueue();
  private hasBegun: boolean;
  /** The lock was lost for a while, so the log must be checked for foreign records before the next write. */
  private isCheckDue = false;
  private isClosed = false;
  private readonly onListenerError = (error: unknown): void => this.ports.log.error('a listener failed', error);
  private readonly emitter = new Emitter<void>(this.onListenerError);
  readonly onDidChangeProblem = this.emitter.event;
  private readonly readOn = new Emitter<ReadOn>(this.onListenerError);
  readonly onDidReadOn = this.readOn.event;

  constructor(
    private readonly start: StoredStart,
    private readonly ports: StoredSessionPorts,
  ) {
    const { clock, files, log } = ports;
    this.current = start.head;
    this.access = start.access;
    this.hasBegun = start.log.end > 0;
    this.lock = start.lockFor(() => this.loseLock());
    this.writer = new LogWriter(this.logFile, start.log.end, { files, clock, log, ready: () => this.ready() });
    this.writer.onDidChangeProblem(() => this.emitter.fire());
    this.headSoon = new Coalescer(clock, headDelayMs, () => this.writeHead());
  }

  get head(): SessionHead {
    return this.current;
  }

  get isOurs(): boolean {
    return this.access === 'ours';
  }

  get isInUse(): boolean {
    return this.access === 'theirs';
  }

  get isOutdated(): boolean {
    return this.access === 'lost';
  }

  get readonly(): string | undefined {
    if (this.access === 'newer') return newerVersion;
    if (this.access === 'lost') return takenOver;
    return this.access === 'theirs' ? otherWindow : undefined;
  }

  get problem(): string | undefined {
    return this.writer.problem;
  }

  append(record: LogRecord): void {
    if (this.isClosed) return;
    if (this.access === 'free') this.unsaved.push(record);
    if (this.access !== 'ours') return;
    this.writer.append(record);
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.changeHead({});
  }

  changeHead(change: Partial<SessionHead>): void {
    this.current = { ...this.current, ...change };
    this.unsavedHead = { ...this.unsavedHead, ...change };
    // Conversations without messages aren't listed.
    if (!this.hasBegun || this.isClosed || this.access === 'lost') return;
    this.ports.onDidChangeHead(this.current);
    if (this.access !== 'newer') this.headSoon.schedule();
  }

  /** Applies the head written by another window. */
  headRead(head: SessionHead): void {
    if (!this.isOurs) this.current = { ...head, ...this.unsavedHead };
  }

  async claim(): Promise<void> {
    await this.queue.run('access', () => this.claimNow());
  }

  async catchUp(): Promise<void> {
    await this.queue.run('access', () => this.look());
  }

  follow(): Disposable {
    const { clock, files, folder, log } = this.ports;
    const look = (): Promise<boolean> => this.queue.run('access', () => this.look());
    const follower = new LogFollower({ files, clock, log, folder, look });
    follower.start();
    return follower;
  }

  async flush(): Promise<void> {
    if (this.access === 'newer' || this.access === 'lost') return;
    this.headSoon.flushNow();
    if (this.isOurs) await this.writer.flush();
    await this.headWrite;
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    await this.queue.run('access', () => this.flush());
    this.isClosed = true;
    this.writer.dispose();
    this.headSoon.dispose();
    if (this.isOurs) await this.lock.release();
    else this.lock.dispose();
    this.ports.onClosed();
    this.emitter.dispose();
    this.readOn.dispose();
  }

  idOf(text: string): string {
    return createHash('sha256').update(text).digest('hex');
  }

  async putText(text: string): Promise<string> {
    const id = this.idOf(text);
    if (!this.isOurs) return id;
    try {
      await this.ready();
      const folder = this.textFolder;
      await this.ports.files.makeFolder(folder);
      await this.ports.files.createNew(path.join(folder, id), text);
      this.troubles.delete(textTrouble);
    } catch (error) {
      this.warnOnce(textTrouble, error);
    }
    return id;
  }

  async getText(id: string): Promise<string | undefined> {
    if (!/^[0-9a-f]{64}$/.test(id)) return undefined;
    const text = await this.ports.files.read(path.join(this.textFolder, id)).catch(() => undefined);
    return text !== undefined && this.idOf(text) === id ? text : undefined;
  }

  private get logFile(): string {
    return path.join(this.ports.folder, 'log.jsonl');
  }

  private get textFolder(): string {
    return path.join(this.ports.folder, 'texts');
  }

  /** Whether there is no log, because it was deleted or never written. */
  private async isGone(): Promise<boolean> {
    return (await this.ports.files.modifiedAt(this.logFile)) === undefined;
  }

  // Access

  private async claimNow(): Promise<void> {
    if (this.isOurs) return;
    const { readonly } = this;
    if (this.access !== 'theirs' && readonly !== undefined) throw new ChatError('readonly', readonly);
    const { log, readHead } = this.ports;
    if (this.isClosed || (await this.isGone())) {
      throw new ChatError('notFound', 'This conversation was deleted in another window.');
    }
    // A folder that can't be written is reported by the writes that follow.
    const isLocked = await this.lock.take().catch((error: unknown) => {
      log.warn(`Cannot lock a conversation: ${messageOf(error)}`);
      return undefined;
    });
    if (isLocked === false) {
      this.told([], 'theirs');
      throw new ChatError('readonly', otherWindow);
    }
    try {
      const head = await readHead();
      if (head) this.headRead(head);
      const records = await this.readTail();
      this.writer.end = this.start.log.end;
      this.told(records, 'ours');
    } catch (error) {
      await this.lock.release();
      throw error;
    }
    for (const record of this.unsaved.splice(0)) this.writer.append(record);
  }

  /** Reads what others have written. Resolves to whether to continue following. Never rejects. */
  private async look(): Promise<boolean> {
    if (this.isClosed || (this.access !== 'free' && this.access !== 'theirs')) return false;
    try {
      // Check the lock before reading: an unlocked log is complete.
      const isHeld = await this.lock.isHeld();
      if (await this.isGone()) {
        this.told([], 'free');
        return false;
      }
      this.told(await this.readTail(), isHeld ? 'theirs' : 'free');
    } catch (error) {
      this.ports.log.debug(`Cannot follow a conversation: ${messageOf(error)}`);
    }
    return true;
  }

  private async readTail(): Promise<readonly LogRecord[]> {
    const { records } = await this.start.log.read();
    // The window that wrote these records has seen the same events.
    if (records.length > 0) this.unsaved = [];
    return records;
  }

  /** Ensures before each write that this window has the lock. @throws ChatError `readonly`, and errors of the file port */
  private async ready(): Promise<void> {
    // Queued, since the log and the head may be written at the same time.
    await this.queue.run('lock', () => this.holdLock());
  }

  private async holdLock(): Promise<void> {
    await this.start.makeFolder();
    const lock = await this.lock.keep();
    if (lock === 'taken') this.isCheckDue = true;
    const isTheirs = lock === 'theirs' || (this.isCheckDue && (await this.wasWrittenOn()));
    if (!isTheirs) {
      // A check that fails stays due: the next attempt finds the lock held.
      this.isCheckDue = false;
      return;
    }
    this.loseLock();
    throw new ChatError('readonly', otherWindow);
  }

  /** Whether another window has written while the lock was lost. @throws errors of the file port */
  private async wasWrittenOn(): Promise<boolean> {
    const { end } = this.writer;
    if (end === 0 && (await this.isGone())) return false;
    const news = new LogReader(this.ports.files, this.logFile, end);
    await news.read();
    return news.end > end;
  }

  /** Stops writing because another window took over. */
  private loseLock(): void {
    if (this.isClosed || this.access === 'lost') return;
    this.access = 'lost';
    this.writer.dispose();
    this.headSoon.dispose();
    void this.lock.release();
    this.ports.onClosed();
    this.emitter.fire();
  }

  private told(records: readonly LogRecord[], access: Access): void {
    const isOther = this.access !== access;
    this.access = access;
    if (records.length > 0 || isOther) this.readOn.fire({ records, isWriterGone: access !== 'theirs' });
    if (isOther) this.emitter.fire();
  }

  private async leaveIfGone(): Promise<void> {
    if (!(await this.isGone())) return;
    this.hasBegun = false;
    this.ports.onGone();
  }

  /** Logs a failure once until it is over, since writes are retried with each change. */
  private warnOnce(trouble: string, error: unknown): void {
    const reason = errorCode(error) ?? messageOf(error);
    if (this.troubles.get(trouble) === reason) return;
    this.troubles.set(trouble, reason);
    this.ports.log.warn(`${trouble}: ${messageOf(error)}`);
  }

  /** Writes only changed members, since other windows may have changed the title. */
  private writeHead(): void {
    const { files, headFile, readHead } = this.ports;
    const write = async (): Promise<void> => {
      if (this.access === 'lost') return;
      if (this.isOurs) await this.ready();
      const kept = await readHead();
      // A missing head means that it is being deleted: only the owner may create one.
      if (!kept && !this.isOurs) {
        await this.leaveIfGone();
        return;
      }
      const written = this.unsavedHead;
      if (kept) this.current = { ...kept, ...written };
      await files.replace(headFile, JSON.stringify(this.current));
      if (this.unsavedHead === written) this.unsavedHead = {};
    };
    this.headWrite = this.headWrite
      .then(write)
      .then(() => this.troubles.delete(headTrouble))
      .catch((error: unknown) => this.warnOnce(headTrouble, error));
  }
}
