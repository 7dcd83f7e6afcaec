import { createHash } from 'node:crypto';
import * as path from 'node:path';
import { Coalescer, type Clock } from '../../base/common/async';
import { messageOf } from '../../base/common/errors';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { SessionFile, SessionHead } from '../common/chatStore';
import type { LogRecord } from '../common/logRecord';
import type { FilePort } from './filePort';
import { LogWriter } from './logWriter';
import type { SessionLock } from './sessionLock';

const headDelayMs = 250;

export interface StoredSessionPorts {
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly folder: string;
  readonly headFile: string;
  readonly onDidChangeHead: (head: SessionHead) => void;
  readonly onClosed: () => void;
}

/** Where the writing of a conversation begins. */
export interface StoredStart {
  readonly head: SessionHead;
  /** In bytes, of its log. */
  readonly offset: number;
  /** Undefined for one that is only read. */
  readonly lock: SessionLock | undefined;
  /** Resolves when the folder is there and locked; does that when it is called first. */
  readonly ready: () => Promise<void>;
  readonly readonly?: string;
}

/** The files of one conversation, as one window has them open. */
export class StoredSession implements SessionFile {
  private current: SessionHead;
  private readonlyReason: string | undefined;
  private readonly writer: LogWriter;
  private readonly headSoon: Coalescer;
  private headWrite: Promise<void> = Promise.resolve();
  private hasBegun: boolean;
  private isClosed = false;
  private readonly emitter: Emitter<void>;

  constructor(
    private readonly start: StoredStart,
    private readonly ports: StoredSessionPorts,
  ) {
    const { clock, files, folder, log } = ports;
    this.current = start.head;
    this.readonlyReason = start.readonly;
    this.hasBegun = start.offset > 0;
    this.writer = new LogWriter(path.join(folder, 'log.jsonl'), start.offset, {
      files,
      clock,
      log,
      ready: start.ready,
    });
    this.emitter = new Emitter((error) => log.error('a listener failed', error));
    this.writer.onDidChangeProblem(() => this.emitter.fire());
    this.headSoon = new Coalescer(clock, headDelayMs, () => this.writeHead());
  }

  get head(): SessionHead {
    return this.current;
  }

  get readonly(): string | undefined {
    return this.readonlyReason;
  }

  get problem(): string | undefined {
    return this.writer.problem;
  }

  get onDidChangeProblem(): Event<void> {
    return this.emitter.event;
  }

  append(record: LogRecord): void {
    if (this.readonlyReason !== undefined || this.isClosed) return;
    this.writer.append(record);
    if (this.hasBegun) return;
    this.hasBegun = true;
    this.changeHead({});
  }

  changeHead(change: Partial<SessionHead>): void {
    this.current = { ...this.current, ...change };
    // What was never spoken in is not listed.
    if (!this.hasBegun || this.isClosed) return;
    this.ports.onDidChangeHead(this.current);
    if (this.readonlyReason === undefined) this.headSoon.schedule();
  }

  /** Another window writes it from now on. */
  loseLock(reason: string): void {
    this.readonlyReason = reason;
    this.writer.dispose();
    this.headSoon.dispose();
    this.emitter.fire();
  }

  async flush(): Promise<void> {
    if (this.readonlyReason !== undefined) return;
    this.headSoon.flushNow();
    await this.writer.flush();
    await this.headWrite;
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    await this.flush();
    this.isClosed = true;
    this.writer.dispose();
    this.headSoon.dispose();
    await this.start.lock?.release();
    this.ports.onClosed();
    this.emitter.dispose();
  }

  idOf(text: string): string {
    return createHash('sha256').update(text).digest('hex');
  }

  async putText(text: string): Promise<string> {
    const id = this.idOf(text);
    if (this.readonlyReason !== undefined) return id;
    try {
      await this.start.ready();
      const folder = this.textFolder;
      await this.ports.files.makeFolder(folder);
      await this.ports.files.createNew(path.join(folder, id), text);
    } catch (error) {
      this.ports.log.warn(`A text of a file could not be kept: ${messageOf(error)}`);
    }
    return id;
  }

  async getText(id: string): Promise<string | undefined> {
    if (!/^[0-9a-f]{64}$/.test(id)) return undefined;
    const text = await this.ports.files.read(path.join(this.textFolder, id)).catch(() => undefined);
    return text !== undefined && this.idOf(text) === id ? text : undefined;
  }

  private get textFolder(): string {
    return path.join(this.ports.folder, 'texts');
  }

  private writeHead(): void {
    const { files, headFile, log } = this.ports;
    this.headWrite = this.headWrite
      .then(() => this.start.ready())
      .then(() => files.replace(headFile, JSON.stringify(this.current)))
      .catch((error: unknown) => log.warn(`The head of a conversation could not be written: ${messageOf(error)}`));
  }
}
