import * as path from 'node:path';
import { Coalescer, KeyedQueue, type Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { messageOf, userMessageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { parseJson } from '../../base/common/parseJson';
import { ChatError } from '../common/chatPorts';
import {
  ConversationHead,
  type ChatStore,
  type ConversationSearchResult,
  type OpenedConversation,
  type ConversationFiles,
  type StoredConversation,
} from '../common/chatStore';
import { addConversationCopy, logFileName } from './addConversationCopy';
import type { LogRecord } from '../common/conversation/logRecord';
import type { FilePort } from '../../base/node/filePort';
import { LogReader } from './logReader';
import { FileLock } from '../../base/node/fileLock';
import { rebuildHead } from './rebuildHead';
import { inUseElsewhereText, DiskConversationFiles, type ConversationFilesInitialState } from './diskConversationFiles';
import { hasAllWords, searchLog, queryWords } from './textSearch';

const listDelayMs = 150;
/** Age after which temporary files are removed as leftovers. Writing a file takes only milliseconds. */
const leftoverAgeMs = 60_000;
const maxParallelReads = 32;
const maxFound = 200;
const maxSearchBytes = 256 * 1024 * 1024;

interface SessionStoreDeps {
  /** Absolute path of the folder for all conversations. Created with the first conversation. */
  readonly folder: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Stores each conversation in `<folder>/<id>/log.jsonl`, and its head in `<folder>/heads/<id>.json`, so that only one
 * folder must be watched.
 */
export class ConversationStore implements ChatStore {
  private readonly headById = new Map<string, ConversationHead>();
  private readonly openSessionById = new Map<string, DiskConversationFiles>();
  private readonly emitter = new Emitter<void>((error) => this.deps.log.error('a listener failed', error));
  readonly onDidChange = this.emitter.event;
  private readonly changedFileNames = new Set<string>();
  private isFullReadDue = false;
  private readonly rereadCoalescer: Coalescer;
  /** Runs reads of the list in sequence, because on a slow disk an older read could overwrite a newer result. */
  private readonly readQueue = new KeyedQueue();
  private watcher: Disposable | undefined;

  constructor(private readonly deps: SessionStoreDeps) {
    this.rereadCoalescer = new Coalescer(
      deps.clock,
      listDelayMs,
      () => void this.readQueue.run('list', () => this.readChangedHeads()),
    );
  }

  get heads(): readonly ConversationHead[] {
    return [...this.headById.values()];
  }

  async start(): Promise<void> {
    const { files, log } = this.deps;
    try {
      await files.makeFolder(this.headsFolder);
      this.watcher = files.watch(this.headsFolder, (name) => {
        if (name === undefined) this.isFullReadDue = true;
        else this.changedFileNames.add(name);
        this.rereadCoalescer.schedule();
      });
    } catch (error) {
      log.warn(`Cannot watch the conversations folder: ${messageOf(error)}`);
    }
    await this.readQueue.run('list', () => this.readAllHeads());
    await this.removeLeftovers();
  }

  create(head: ConversationHead): ConversationFiles {
    const { files } = this.deps;
    const folder = this.folderOf(head.id);
    let isCreated = false;
    // Called with the first record, so that an unused conversation creates no files. Repeated if it fails.
    const makeFolder = async (): Promise<void> => {
      if (isCreated) return;
      await files.makeFolder(this.headsFolder);
      await files.makeFolder(folder);
      isCreated = true;
    };
    return this.addSession({ head, log: this.createReader(head.id), access: 'ours', makeFolder });
  }

  async add(head: ConversationHead, records: readonly LogRecord[], sourceId: string): Promise<void> {
    const { id } = head;
    const place = { folder: this.folderOf(id), headFile: this.headFileOf(id) };
    try {
      await addConversationCopy(this.deps.files, place, head, records, this.folderOf(sourceId));
    } catch (error) {
      const message = `The conversation could not be copied. ${userMessageOf(error)}`;
      throw new ChatError('storage', message, messageOf(error), { cause: error });
    }
    this.headById.set(id, head);
    this.emitter.fire();
  }

  async open(id: string): Promise<OpenedConversation> {
    if (!(await this.exists(id))) throw notFound();
    const lock = this.createLock(id, () => undefined);
    try {
      // The lock must be checked before reading: if it is free, the log is complete.
      const isHeld = await lock.isHeldElsewhere().catch(() => false);
      const log = this.createReader(id);
      const { damage, head, isNewer, records } = await this.readConversation(id, log, isHeld);
      const access = isNewer ? 'newer' : isHeld ? 'theirs' : 'free';
      const file = this.addSession({ head, log, access, makeFolder: () => Promise.resolve() });
      return { head, file, records, ...(damage === undefined ? {} : { damage }) };
    } catch (error) {
      throw unreadable(error);
    } finally {
      lock.dispose();
    }
  }

  async read(id: string): Promise<StoredConversation> {
    if (!(await this.exists(id))) throw notFound();
    try {
      const { damage, head, records } = await this.readConversation(id, this.createReader(id));
      return { head, records, ...(damage === undefined ? {} : { damage }) };
    } catch (error) {
      throw unreadable(error);
    }
  }

  async updateHead(id: string, change: Partial<ConversationHead>): Promise<void> {
    const open = this.openSessionById.get(id);
    if (open) {
      open.updateHead(change);
      return;
    }
    const head = (await this.exists(id)) ? ((await this.readHead(id)) ?? this.headById.get(id)) : undefined;
    if (!head) throw notFound();
    const changed = { ...head, ...change };
    try {
      await this.deps.files.replace(this.headFileOf(id), JSON.stringify(changed));
    } catch (error) {
      throw new ChatError('storage', 'The change could not be written to disk.', messageOf(error), { cause: error });
    }
    this.headById.set(id, changed);
    this.emitter.fire();
  }

  async remove(id: string, beforeRemove?: () => Promise<void>): Promise<void> {
    if (!isConversationId(id)) throw notFound();
    const { files } = this.deps;
    const open = this.openSessionById.get(id);
    const lock = this.createLock(id, () => undefined);
    const lockConversation = async (): Promise<void> => {
      const isThere = (await files.modifiedAt(this.folderOf(id)).catch(() => undefined)) !== undefined;
      if (isThere && (await lock.ensureHeld().catch(() => undefined)) === 'theirs')
        throw new ChatError('readonly', inUseElsewhereText);
    };
    if (open?.isOurs !== true) await lockConversation();
    try {
      await beforeRemove?.();
      await open?.close();
      await lockConversation();
      // The log is removed first, because other windows watch the heads and would create the head again if the log
      // still existed.
      await files.remove(this.folderOf(id));
      await files.remove(this.headFileOf(id));
    } catch (error) {
      if (error instanceof ChatError) throw error;
      throw new ChatError('storage', 'The conversation could not be deleted.', messageOf(error), { cause: error });
    } finally {
      await lock.release();
    }
    this.headById.delete(id);
    this.emitter.fire();
  }

  async search(query: string, signal?: AbortSignal): Promise<readonly ConversationSearchResult[]> {
    const words = queryWords(query);
    const heads = this.heads.toSorted((a, b) => b.updatedAt - a.updatedAt);
    if (words.length === 0) return heads.map((head) => ({ head }));
    await Promise.all([...this.openSessionById.values()].map((session) => session.flush()));
    const found: ConversationSearchResult[] = [];
    let bytesLeft = maxSearchBytes;
    const spend = (bytes: number): boolean => (bytesLeft -= bytes) > 0;
    for (const head of heads) {
      if (signal?.aborted || found.length >= maxFound) break;
      if (hasAllWords(head.title, words)) {
        found.push({ head });
        continue;
      }
      if (bytesLeft <= 0) continue;
      const search = searchLog(this.deps.files, this.logFileOf(head.id), words, spend, signal);
      const snippet = await search.catch(() => undefined);
      if (snippet !== undefined) found.push({ head, snippet });
    }
    return found;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.openSessionById.values()].map((session) => session.close()));
    this.openSessionById.clear();
  }

  dispose(): void {
    this.watcher?.dispose();
    this.rereadCoalescer.dispose();
    this.emitter.dispose();
  }

  /** Whether the conversation is stored. @throws ChatError `unreadable` */
  private async exists(id: string): Promise<boolean> {
    if (!isConversationId(id)) return false;
    try {
      return (await this.deps.files.modifiedAt(this.logFileOf(id))) !== undefined;
    } catch (error) {
      throw unreadable(error);
    }
  }

  private async readConversation(id: string, reader: LogReader, isBeingWritten = false) {
    const log = await reader.read(isBeingWritten);
    return { ...log, head: this.headById.get(id) ?? (await this.readHead(id)) ?? rebuildHead(id, log.records) };
  }

  private createReader(id: string): LogReader {
    return new LogReader(this.deps.files, this.logFileOf(id));
  }

  private addSession(state: Omit<ConversationFilesInitialState, 'createLock'>): DiskConversationFiles {
    const { clock, files, log } = this.deps;
    const { id } = state.head;
    const start = { ...state, createLock: (onLost: () => void) => this.createLock(id, onLost) };
    const session = new DiskConversationFiles(start, {
      files,
      clock,
      log,
      folder: this.folderOf(id),
      headFile: this.headFileOf(id),
      readHead: () => this.readHead(id),
      onDidChangeHead: (head) => {
        this.headById.set(id, head);
        this.emitter.fire();
      },
      onDeleted: () => {
        this.headById.delete(id);
        this.emitter.fire();
      },
      onClosed: () => {
        if (this.openSessionById.get(id) === session) this.openSessionById.delete(id);
      },
    });
    this.openSessionById.set(id, session);
    return session;
  }

  private isOurs(id: string): boolean {
    return this.openSessionById.get(id)?.isOurs === true;
  }

  private createLock(id: string, onLost: () => void): FileLock {
    const { clock, files } = this.deps;
    return new FileLock(path.join(this.folderOf(id), 'lock'), { files, clock, onLost });
  }

  private async readAllHeads(): Promise<void> {
    const { files, log } = this.deps;
    try {
      const listed = (await files.listNames(this.headsFolder)).flatMap((name) => idOf(name) ?? []);
      const ids = [...new Set([...listed, ...(await files.listNames(this.deps.folder)).filter(isConversationId)])];
      const removedIds = new Set(this.headById.keys());
      for (let at = 0; at < ids.length; at += maxParallelReads) {
        await Promise.all(ids.slice(at, at + maxParallelReads).map((id) => this.refreshHead(id)));
      }
      for (const id of ids) removedIds.delete(id);
      for (const id of removedIds) if (!this.isOurs(id)) this.headById.delete(id);
    } catch (error) {
      log.warn(`Cannot list the conversations: ${messageOf(error)}`);
    }
    this.emitter.fire();
  }

  /** Removes temporary files of windows that crashed while they were writing a head. Never rejects. */
  private async removeLeftovers(): Promise<void> {
    const { clock, files, log } = this.deps;
    try {
      const leftovers = (await files.listNames(this.headsFolder)).filter((name) => name.endsWith('.tmp'));
      for (const name of leftovers) {
        const file = path.join(this.headsFolder, name);
        const modifiedAt = await files.modifiedAt(file);
        if (modifiedAt !== undefined && clock.now() - modifiedAt > leftoverAgeMs) await files.remove(file);
      }
    } catch (error) {
      log.debug(`Cannot remove leftover files: ${messageOf(error)}`);
    }
  }

  private async readChangedHeads(): Promise<void> {
    const names = [...this.changedFileNames];
    this.changedFileNames.clear();
    if (this.isFullReadDue) {
      this.isFullReadDue = false;
      await this.readAllHeads();
      return;
    }
    const ids = names.flatMap((name) => idOf(name) ?? []).filter((id) => !this.isOurs(id));
    if (ids.length === 0) return;
    await Promise.all(ids.map((id) => this.refreshHead(id)));
    this.emitter.fire();
  }

  private async refreshHead(id: string): Promise<void> {
    if (this.isOurs(id)) return;
    const before = this.headById.get(id);
    const head = (await this.readHead(id)) ?? (await this.rebuildHead(id));
    // This window has changed or deleted the head in the meantime, which is more recent.
    if (this.headById.get(id) !== before) return;
    if (head) this.openSessionById.get(id)?.applyHead(head);
    if (head) this.headById.set(id, head);
    else this.headById.delete(id);
  }

  /** Creates the head from the log, because a window may have crashed before it wrote the head. */
  private async rebuildHead(id: string): Promise<ConversationHead | undefined> {
    const { files } = this.deps;
    try {
      if ((await files.modifiedAt(this.logFileOf(id))) === undefined) return undefined;
      return rebuildHead(id, (await this.createReader(id).read()).records);
    } catch {
      return undefined;
    }
  }

  private async readHead(id: string): Promise<ConversationHead | undefined> {
    const text = await this.deps.files.read(this.headFileOf(id)).catch(() => undefined);
    if (text === undefined) return undefined;
    const head = ConversationHead.safeParse(parseJson(text)).data;
    return head?.id === id ? head : undefined;
  }

  private get headsFolder(): string {
    return path.join(this.deps.folder, 'heads');
  }

  private headFileOf(id: string): string {
    return path.join(this.headsFolder, `${id}.json`);
  }

  private folderOf(id: string): string {
    return path.join(this.deps.folder, id);
  }

  private logFileOf(id: string): string {
    return path.join(this.folderOf(id), logFileName);
  }
}

function isConversationId(name: string): boolean {
  return /^[\w-]{8,64}$/.test(name);
}

function idOf(fileName: string): string | undefined {
  const id = fileName.endsWith('.json') ? fileName.slice(0, -'.json'.length) : undefined;
  return id !== undefined && isConversationId(id) ? id : undefined;
}

function unreadable(error: unknown): ChatError {
  if (error instanceof ChatError) return error;
  const message = 'This conversation could not be read. Its files are in Backline’s storage folder.';
  return new ChatError('unreadable', message, messageOf(error), { cause: error });
}

function notFound(): ChatError {
  return new ChatError('notFound', 'This conversation no longer exists.');
}
