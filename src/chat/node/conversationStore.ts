import * as path from 'node:path';
import { Coalescer, KeyedQueue, type Clock } from '../../base/common/async';
import { messageOf, userMessageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { ChatError } from '../common/chatPorts';
import type {
  ChatStore,
  ConversationHead,
  ConversationSearchResult,
  ConversationFiles,
  PlaceElsewhere,
  StoredConversation,
} from '../common/chatStore';
import { addConversationCopy } from './addConversationCopy';
import type { LogRecord } from '../common/conversation/logRecord';
import type { ConversationPlace } from '../common/conversations/conversationPlace';
import type { FilePort } from '../../base/node/filePort';
import { ConversationFolders, isConversationId } from './conversationFolders';
import { HeadFiles } from './heads/headFiles';
import { headFromLog } from './heads/headFromLog';
import { HeadsWatcher } from './heads/headsWatcher';
import { inUseElsewhereText } from './conversationAccess';
import { notFoundError, storageError, unreadableError } from './conversationErrors';
import { compactUnusedLog } from './log/compactLog';
import { LogReader } from './log/logReader';
import type { OlderWorkspaces } from './olderWorkspaces';
import type { WindowPlaces } from './windowPlaces';
import { FileLock } from '../../base/node/fileLock';
import { DiskConversationFiles, type ConversationFilesInitialState } from './diskConversationFiles';
import { searchConversations } from './textSearch';

const listDelayMs = 150;
const maxParallelReads = 32;
interface SessionStoreDeps {
  /** Absolute path of the folder for all conversations. Created with the first conversation. */
  readonly folder: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where this window works. Without it, all conversations belong to this window. */
  readonly places?: WindowPlaces;
  /** Asks the user whether a conversation of another folder continues in this window. By default, it does. */
  readonly confirmContinueHere?: (id: string) => Promise<boolean>;
  /** The folders of versions before, which had one for each workspace. */
  readonly older?: OlderWorkspaces;
}

/** Stores all conversations of the user, as `ConversationFolders` describes. */
export class ConversationStore implements ChatStore {
  private readonly headById = new Map<string, ConversationHead>();
  private readonly openSessionById = new Map<string, DiskConversationFiles>();
  private readonly emitter = new Emitter<void>((error) => this.deps.log.error('a listener failed', error));
  readonly onDidChange = this.emitter.event;
  private readonly changedIds = new Set<string>();
  private isFullReadDue = false;
  private readonly rereadCoalescer: Coalescer;
  /** Runs reads of the list in sequence, because on a slow disk an older read could overwrite a newer result. */
  private readonly readQueue = new KeyedQueue();
  private readonly watcher: HeadsWatcher;
  private readonly folders: ConversationFolders;
  private readonly headFiles: HeadFiles;
  private isDisposed = false;

  constructor(private readonly deps: SessionStoreDeps) {
    const { clock, files, folder: root, log, older, places } = deps;
    places?.onDidLearn(() => this.emitter.fire());
    this.watcher = new HeadsWatcher({ files, log, onChange: (folder, name) => this.noteChange(folder, name) });
    this.folders = new ConversationFolders({ root, files, clock, older });
    this.headFiles = new HeadFiles({ files, folders: this.folders, log });
    this.rereadCoalescer = new Coalescer(
      deps.clock,
      listDelayMs,
      () => void this.readQueue.run('list', () => this.readChangedHeads()),
    );
  }

  get heads(): readonly ConversationHead[] {
    return [...this.headById.values()];
  }

  get here(): ConversationPlace | undefined {
    return this.deps.places?.here;
  }

  async start(): Promise<void> {
    const { files, log, places } = this.deps;
    const placing = places?.start();
    try {
      for (const folder of this.folders.headsFolders) await files.makeFolder(folder);
    } catch (error) {
      log.warn(`Cannot create the conversations folder: ${messageOf(error)}`);
    }
    await placing;
    await this.readQueue.run('list', () => this.readAllHeads());
    void this.readQueue.run('list', () => this.findPlaces());
    await this.folders
      .removeLeftovers()
      .catch((error: unknown) => log.debug(`Cannot remove leftover files: ${messageOf(error)}`));
  }

  /** The window has other folders now. Never rejects. */
  async moveWindow(): Promise<void> {
    await this.deps.places?.start();
    await this.readQueue.run('list', () => this.findPlaces());
  }

  elsewhere({ place }: ConversationHead): PlaceElsewhere | undefined {
    return this.deps.places?.elsewhere(place);
  }

  async locateFolder(from: string, to: string): Promise<() => Promise<void>> {
    const write = async <Result>(work: Promise<Result> | undefined): Promise<Result | undefined> => {
      const result = await work?.catch((error: unknown) => {
        throw storageError('The change could not be written to disk.', error);
      });
      await this.lookForFolders();
      return result;
    };
    const undo = await write(this.deps.places?.locate(from, to));
    return async () => await write(undo?.());
  }

  create(created: ConversationHead): ConversationFiles {
    const { places } = this.deps;
    const head = places ? { ...created, place: places.continuedFrom(undefined, []) } : created;
    const makeFolder = this.folders.makerOf(head.id);
    return this.addSession({ head, log: this.createReader(head.id), access: 'ours', moves: [], makeFolder });
  }

  async add(added: ConversationHead, records: readonly LogRecord[], sourceId: string): Promise<void> {
    const { places } = this.deps;
    // The records have the paths of this window.
    const place = places?.continuedFrom(added.place, await places.movesFor(added.place));
    const head = place ? { ...added, place } : added;
    const { id } = head;
    const copy = { folder: this.folders.folderOf(id), headFile: this.folders.headFileOf(id) };
    try {
      await addConversationCopy(this.deps.files, copy, head, records, this.folders.folderOf(sourceId));
    } catch (error) {
      throw storageError(`The conversation could not be copied. ${userMessageOf(error)}`, error);
    }
    this.headById.set(id, head);
    this.emitter.fire();
  }

  async open(id: string): Promise<ConversationFiles> {
    if (!(await this.exists(id))) throw notFoundError();
    const lock = this.createLock(id, () => undefined);
    try {
      // The lock must be checked before reading: if it is free, the log is complete.
      const isHeld = await lock.isHeldElsewhere().catch(() => false);
      const placed = { ...(await this.placedHeadOf(id)), access: isHeld ? 'theirs' : 'free' } as const;
      return this.addSession({ ...placed, log: this.createReader(id), makeFolder: () => Promise.resolve() });
    } catch (error) {
      throw unreadableError(error);
    } finally {
      lock.dispose();
    }
  }

  async read(id: string): Promise<StoredConversation> {
    if (!(await this.exists(id))) throw notFoundError();
    try {
      const { head, moves } = await this.placedHeadOf(id);
      const records: LogRecord[] = [];
      const { damage } = await this.createReader(id).readRelocated((some) => void records.push(...some), moves);
      return { head, records, ...(damage === undefined ? {} : { damage }) };
    } catch (error) {
      throw unreadableError(error);
    }
  }

  async compact(id: string): Promise<void> {
    if (!(await this.exists(id))) throw notFoundError();
    const { files, log } = this.deps;
    try {
      const isDone = await compactUnusedLog(
        files,
        this.folders.logFileOf(id),
        this.createLock(id, () => undefined),
      );
      if (!isDone) log.info('A conversation was not compacted, because it contains damaged entries.');
    } catch (error) {
      throw storageError('The conversation could not be compacted.', error);
    }
  }

  async updateHead(id: string, change: Partial<ConversationHead>): Promise<void> {
    const open = this.openSessionById.get(id);
    if (open) {
      open.updateHead(change);
      return;
    }
    if (!(await this.exists(id))) throw notFoundError();
    const known = this.headById.get(id);
    const apply = (stored = known): ConversationHead | undefined => stored && { ...stored, ...change };
    const changed = await this.headFiles.change(id, apply).catch((error: unknown) => {
      throw storageError('The change could not be written to disk.', error);
    });
    if (!changed) throw notFoundError();
    this.headById.set(id, changed);
    this.emitter.fire();
  }

  async remove(id: string, beforeRemove?: () => Promise<void>): Promise<void> {
    if (!isConversationId(id)) throw notFoundError();
    const { files } = this.deps;
    const open = this.openSessionById.get(id);
    const lock = this.createLock(id, () => undefined);
    const lockConversation = async (): Promise<void> => {
      const isThere = (await files.modifiedAt(this.folders.folderOf(id)).catch(() => undefined)) !== undefined;
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
      await files.remove(this.folders.folderOf(id));
      await files.remove(this.folders.headFileOf(id));
    } catch (error) {
      throw storageError('The conversation could not be deleted.', error);
    } finally {
      await lock.release();
    }
    this.headById.delete(id);
    this.emitter.fire();
  }

  async search(query: string, signal?: AbortSignal): Promise<readonly ConversationSearchResult[]> {
    await Promise.all([...this.openSessionById.values()].map((session) => session.flush()));
    return await searchConversations(this.deps.files, this.heads, (id) => this.folders.logFileOf(id), query, signal);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.openSessionById.values()].map((session) => session.close()));
    this.openSessionById.clear();
  }

  dispose(): void {
    this.isDisposed = true;
    this.deps.places?.dispose();
    this.watcher.dispose();
    this.rereadCoalescer.dispose();
    this.emitter.dispose();
  }

  /** Whether the conversation is stored. @throws ChatError `unreadable` */
  private async exists(id: string): Promise<boolean> {
    try {
      return await this.folders.exists(id);
    } catch (error) {
      throw unreadableError(error);
    }
  }

  /** @throws errors of the file port */
  private async placedHeadOf(id: string) {
    // What another window has just written of its place is not in the list yet.
    const newest = this.isOurs(id) ? undefined : await this.headFiles.read(id);
    const head = await this.headFiles.withImages(newest ?? this.headById.get(id) ?? (await this.headFromLog(id)));
    return { head, moves: (await this.deps.places?.movesFor(head.place)) ?? [] };
  }

  private createReader(id: string): LogReader {
    return new LogReader(this.deps.files, this.folders.logFileOf(id));
  }

  private addSession(state: Omit<ConversationFilesInitialState, 'createLock'>): DiskConversationFiles {
    const { clock, files, log } = this.deps;
    const { id } = state.head;
    const start = { ...state, createLock: (onLost: () => void) => this.createLock(id, onLost) };
    const session = new DiskConversationFiles(start, {
      files,
      clock,
      log,
      folder: this.folders.folderOf(id),
      readHead: () => this.headFiles.read(id),
      changeHead: (change) => this.headFiles.change(id, change),
      placeContinued: (place, moves) => this.deps.places?.continuedFrom(place, moves),
      confirmContinueHere: (id) => this.deps.confirmContinueHere?.(id) ?? Promise.resolve(true),
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
    return new FileLock(path.join(this.folders.folderOf(id), 'lock'), { files, clock, onLost });
  }

  private async readAllHeads(): Promise<void> {
    const { folder: root, log, older } = this.deps;
    try {
      this.watcher.watch(this.folders.headsFolders);
      const ids = await this.folders.list();
      this.watcher.watch([...(older ? [root] : []), ...this.folders.headsFolders]);
      const removedIds = new Set(this.headById.keys());
      const waiting = [...ids];
      const work = async (): Promise<void> => {
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) await this.refreshHead(id);
      };
      await Promise.all(Array.from({ length: maxParallelReads }, work));
      for (const id of ids) removedIds.delete(id);
      for (const id of removedIds) if (!this.isOurs(id)) this.headById.delete(id);
    } catch (error) {
      log.warn(`Cannot list the conversations: ${messageOf(error)}`);
    }
    this.emitter.fire();
  }

  private noteChange(folder: string, name: string | undefined): void {
    const isRoot = folder === this.deps.folder;
    // The folder of a conversation is known by its head.
    if (isRoot && name !== undefined && this.deps.older?.isName(name) !== true) return;
    const id = isRoot || name === undefined ? undefined : this.folders.noteHead(folder, name);
    if (id !== undefined) this.changedIds.add(id);
    else if (isRoot || name === undefined) this.isFullReadDue = true;
    else return;
    this.rereadCoalescer.schedule();
  }

  /** Finds out where the conversations belong of which that is not known yet. Never rejects. */
  private async findPlaces(): Promise<void> {
    const { older, places } = this.deps;
    if (!places) return;
    if ((await older?.noteWindow(places.here)) === true) this.placeHeads();
    if ((await older?.noteOthers()) === true) this.placeHeads();
    await this.lookForFolders();
  }

  private async lookForFolders(which: 'all' | 'new' = 'all'): Promise<void> {
    const places = this.heads.flatMap(({ place }) => place ?? []);
    if ((await this.deps.places?.lookFor(places, which)) === true && !this.isDisposed) this.emitter.fire();
  }

  private placeHeads(): void {
    for (const [id, head] of this.headById) this.headById.set(id, this.folders.withPlace(head));
    if (!this.isDisposed) this.emitter.fire();
  }

  private async readChangedHeads(): Promise<void> {
    const changedIds = [...this.changedIds];
    this.changedIds.clear();
    if (this.isFullReadDue) {
      this.isFullReadDue = false;
      await this.readAllHeads();
      // An older version beside this one has made the folder of a workspace.
      await this.findPlaces();
      return;
    }
    const ids = changedIds.filter((id) => !this.isOurs(id));
    if (ids.length === 0) return;
    await Promise.all(ids.map((id) => this.refreshHead(id)));
    this.emitter.fire();
    await this.lookForFolders('new');
  }

  private async refreshHead(id: string): Promise<void> {
    if (this.isOurs(id)) return;
    const before = this.headById.get(id);
    const head = (await this.headFiles.read(id)) ?? (await this.rebuildHead(id));
    // This window has changed or deleted the head during the read, so what was read is outdated.
    if (this.headById.get(id) !== before) return;
    if (head) this.openSessionById.get(id)?.applyHead(head);
    if (head) this.headById.set(id, head);
    else this.headById.delete(id);
  }

  /** Creates the head from the log, because a window may have crashed before it wrote the head. */
  private async rebuildHead(id: string): Promise<ConversationHead | undefined> {
    const isStored = await this.folders.exists(id).catch(() => false);
    return isStored ? await this.headFromLog(id).catch(() => undefined) : undefined;
  }

  /** @throws errors of the file port */
  private async headFromLog(id: string): Promise<ConversationHead> {
    return this.folders.withPlace(await headFromLog(id, this.createReader(id)));
  }
}
