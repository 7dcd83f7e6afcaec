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
const headTrouble = 'The head of a conversation could not be written';
const textTrouble = 'A text of a file could not be kept';
export const otherWindow =
  'In use in another VS Code window. It is read-only here until that window is closed, or for some minutes after it switches to another conversation.';
const takenOver =
  'Another VS Code window took over this conversation, so it was stopped here. Open it from the list to read it.';
const newerVersion =
  'This conversation was written by a newer version of Backline. It can be read here, but not continued.';

/** Who may write a conversation. `lost`: another window has taken over while this one wrote. */
type Access = 'ours' | 'free' | 'theirs' | 'lost' | 'newer';

interface StoredSessionPorts {
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly folder: string;
  readonly headFile: string;
  /** As it is on disk. */
  readonly readHead: () => Promise<SessionHead | undefined>;
  readonly onDidChangeHead: (head: SessionHead) => void;
  /** Another window has deleted it. */
  readonly onGone: () => void;
  readonly onClosed: () => void;
}

/** How a conversation is found when it is opened. */
export interface StoredStart {
  readonly head: SessionHead;
  readonly log: LogReader;
  readonly lockFor: (onLost: () => void) => SessionLock;
  /** `ours` is a new one, which nobody else knows. */
  readonly access: Access;
  /** Resolves when its folder is there. */
  readonly makeFolder: () => Promise<void>;
}

/**
 * The files of one conversation, as one window has them open. Opening takes nothing from other windows: before the first
 * write it is claimed, and until then what others write is followed.
 */
export class StoredSession implements SessionFile {
  private current: SessionHead;
  /** What is not in the head on disk yet. */
  private unsavedHead: Partial<SessionHead> = {};
  /** What was noted before it was claimed. */
  private unsaved: LogRecord[] = [];
  private access: Access;
  private readonly lock: SessionLock;
  private readonly writer: LogWriter;
  private readonly headSoon: Coalescer;
  private headWrite: Promise<unknown> = Promise.resolve();
  /** What could not be done the last time, and why. */
  private readonly troubles = new Map<string, string>();
  private readonly queue = new KeyedQueue();
  private hasBegun: boolean;
  /** The lock was not ours for a while: before the next write, the log has to be checked for records of another window. */
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
    // What was never spoken in is not listed.
    if (!this.hasBegun || this.isClosed || this.access === 'lost') return;
    this.ports.onDidChangeHead(this.current);
    if (this.access !== 'newer') this.headSoon.schedule();
  }

  /** As another window has written it. */
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

  /** What was never written is not there, either. */
  private async isGone(): Promise<boolean> {
    return (await this.ports.files.modifiedAt(this.logFile)) === undefined;
  }

  // Who writes

  private async claimNow(): Promise<void> {
    if (this.isOurs) return;
    const { readonly } = this;
    if (this.access !== 'theirs' && readonly !== undefined) throw new ChatError('readonly', readonly);
    const { log, readHead } = this.ports;
    if (this.isClosed || (await this.isGone())) {
      throw new ChatError('notFound', 'This conversation was deleted in another window.');
    }
    // A folder that cannot be written is told by what is written later.
    const isLocked = await this.lock.take().catch((error: unknown) => {
      log.warn(`A conversation could not be locked: ${messageOf(error)}`);
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

  /** Whether to go on looking. Never rejects. */
  private async look(): Promise<boolean> {
    if (this.isClosed || (this.access !== 'free' && this.access !== 'theirs')) return false;
    try {
      // In this order: what is free has been written to its end.
      const isHeld = await this.lock.isHeld();
      if (await this.isGone()) {
        this.told([], 'free');
        return false;
      }
      this.told(await this.readTail(), isHeld ? 'theirs' : 'free');
    } catch (error) {
      this.ports.log.debug(`A conversation could not be followed: ${messageOf(error)}`);
    }
    return true;
  }

  private async readTail(): Promise<readonly LogRecord[]> {
    const { records } = await this.start.log.read();
    // Who has written it since has seen the same.
    if (records.length > 0) this.unsaved = [];
    return records;
  }

  /** Before each write: nothing is written that another window writes. @throws ChatError `readonly`, and errors of the file port */
  private async ready(): Promise<void> {
    // The log and the head are written at the same time.
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

  /** While it was not locked. @throws errors of the file port */
  private async wasWrittenOn(): Promise<boolean> {
    const { end } = this.writer;
    if (end === 0 && (await this.isGone())) return false;
    const news = new LogReader(this.ports.files, this.logFile, end);
    await news.read();
    return news.end > end;
  }

  /** Another window writes it from now on. */
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

  /** Until it is over: what cannot be written is tried again with each change. */
  private warnOnce(trouble: string, error: unknown): void {
    const reason = errorCode(error) ?? messageOf(error);
    if (this.troubles.get(trouble) === reason) return;
    this.troubles.set(trouble, reason);
    this.ports.log.warn(`${trouble}: ${messageOf(error)}`);
  }

  /** Only what has changed: other windows change titles, too. */
  private writeHead(): void {
    const { files, headFile, readHead } = this.ports;
    const write = async (): Promise<void> => {
      if (this.access === 'lost') return;
      if (this.isOurs) await this.ready();
      const kept = await readHead();
      // Without a head it is being deleted: only who owns it may make one.
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
