import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import type { Event } from '../../base/common/event';
import { messageOf, userMessageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import type {
  ChatStore,
  ConversationHead,
  ConversationSearchResults,
  ConversationFiles,
  PlaceElsewhere,
  StoredConversation,
} from '../common/chatStore';
import { addConversationCopy } from './addConversationCopy';
import type { LogRecord } from '../common/conversation/logRecord';
import type { ConversationPlace, FolderMove } from '../common/conversations/conversationPlace';
import type { FilePort } from '../../base/node/filePort';
import { ConversationFolders } from './conversationFolders';
import { isConversationId, textsFolderName } from './conversationNames';
import { HeadFiles } from './heads/headFiles';
import { headFromLog } from './heads/headFromLog';
import { HeadList } from './heads/headList';
import { readonlyError } from './conversationAccess';
import { notFoundError, storageError, unreadableError } from './conversationErrors';
import { compactUnusedLog } from './log/compactLog';
import { LogReader } from './log/logReader';
import type { OlderWorkspaces } from './olderWorkspaces';
import type { WindowPlaces } from './windowPlaces';
import { FileLock } from '../../base/node/fileLock';
import { DiskConversationFiles, type ConversationFilesInitialState } from './diskConversationFiles';
import { searchConversations } from './search/searchConversations';
import type { TextSearch } from './search/textSearch';

export interface SessionStoreDeps {
  /** Absolute path of the folder for all conversations. Created with the first conversation. */
  readonly folder: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where this window works. Without it, all conversations belong to this window. */
  readonly places?: WindowPlaces;
  /** Asks the user whether a conversation of another folder continues in this window. By default, it does. */
  readonly confirmContinueHere?: (id: string) => Promise<boolean>;
  /** Asks the window that is the writer to release the conversation, if it is idle. @throws ChatError if it does not */
  readonly askToRelease?: (id: string) => Promise<void>;
  /** Without it, conversations are only found by their titles. Disposed with the store. */
  readonly texts?: TextSearch;
  /** The folders of versions before, which had one for each workspace. */
  readonly older?: OlderWorkspaces;
}

/** Where a conversation is stored, as absolute paths, and where its folders are now. */
export interface StoredPlace {
  readonly log: string;
  readonly texts: string;
  readonly moves: readonly FolderMove[];
}

/** Stores all conversations of the user, as `ConversationFolders` describes. */
export class ConversationStore implements ChatStore {
  private readonly openSessionById = new Map<string, DiskConversationFiles>();
  private readonly folders: ConversationFolders;
  private readonly headFiles: HeadFiles;
  private readonly list: HeadList;
  readonly onDidChange: Event<void>;

  constructor(private readonly deps: SessionStoreDeps) {
    const { clock, files, folder: root, log, older, places } = deps;
    this.folders = new ConversationFolders({ root, files, clock, older });
    const { folders } = this;
    this.headFiles = new HeadFiles({ files, folders, log });
    this.list = new HeadList({
      ...{ root, files, clock, log, older, folders, headFiles: this.headFiles },
      isOurs: (id) => this.isOurs(id),
      rebuild: (id) => this.rebuildHead(id),
      onRead: (head) => this.openSessionById.get(head.id)?.applyHead(head),
      // An older version beside this one may have made the folder of a workspace.
      onDidRead: (which) => (which === 'all' ? this.findPlaces() : this.lookForFolders('new')),
    });
    this.onDidChange = this.list.onDidChange;
    places?.onDidLearn(() => this.list.fire());
  }

  get heads(): readonly ConversationHead[] {
    return this.list.all;
  }

  get here(): ConversationPlace | undefined {
    return this.deps.places?.here;
  }

  get situation(): string {
    return this.deps.places?.situation ?? '';
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
    await this.list.start();
    void this.list.run(() => this.findPlaces());
    await this.folders
      .removeLeftovers()
      .catch((error: unknown) => log.debug(`Cannot remove leftover files: ${messageOf(error)}`));
  }

  /** The window has other folders now. Never rejects. */
  async moveWindow(): Promise<void> {
    await this.deps.places?.start();
    await this.list.run(() => this.findPlaces());
  }

  elsewhere({ place }: ConversationHead, situation?: string): PlaceElsewhere | undefined {
    return this.deps.places?.elsewhere(place, situation);
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
    this.list.set(head);
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

  /** Returns where a conversation is stored, to read parts of it. What this window has recorded is on disk then. */
  async placeOf(id: string): Promise<StoredPlace> {
    await this.openSessionById.get(id)?.flush();
    const moves = (await this.deps.places?.movesFor(this.list.get(id)?.place)) ?? [];
    return { log: this.folders.logFileOf(id), texts: path.join(this.folders.folderOf(id), textsFolderName), moves };
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
    const known = this.list.get(id);
    const apply = (stored = known): ConversationHead | undefined => stored && { ...stored, ...change };
    const changed = await this.headFiles.change(id, apply).catch((error: unknown) => {
      throw storageError('The change could not be written to disk.', error);
    });
    if (!changed) throw notFoundError();
    this.list.set(changed);
  }

  async remove(id: string, beforeRemove?: () => Promise<void>): Promise<void> {
    if (!isConversationId(id)) throw notFoundError();
    const { files } = this.deps;
    const open = this.openSessionById.get(id);
    const lock = this.createLock(id, () => undefined);
    const lockConversation = async (): Promise<void> => {
      const isThere = (await files.modifiedAt(this.folders.folderOf(id)).catch(() => undefined)) !== undefined;
      if (isThere && (await lock.ensureHeld().catch(() => undefined)) === 'theirs') throw readonlyError('theirs');
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
    this.list.delete(id);
    void this.deps.texts?.forgetDeleted();
  }

  async search(query: string, signal?: AbortSignal): Promise<ConversationSearchResults> {
    await Promise.all([...this.openSessionById.values()].map((session) => session.flush()));
    return await searchConversations(this.heads, this.deps.texts, query, signal);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.openSessionById.values()].map((session) => session.close()));
    this.openSessionById.clear();
    await this.list.stop();
  }

  dispose(): void {
    this.deps.places?.dispose();
    this.deps.texts?.dispose();
    this.list.dispose();
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
    const head = await this.headFiles.withImages(newest ?? this.list.get(id) ?? (await this.headFromLog(id)));
    return { head, moves: (await this.deps.places?.movesFor(head.place)) ?? [] };
  }

  private readonly createReader = (id: string): LogReader => new LogReader(this.deps.files, this.folders.logFileOf(id));

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
      askToRelease: this.deps.askToRelease,
      onDidChangeHead: (head) => this.list.set(head),
      onDeleted: () => this.list.delete(id),
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

  /** Finds out where the conversations belong of which that is not known yet. Never rejects. */
  private async findPlaces(): Promise<void> {
    const { older, places } = this.deps;
    if (!places) return;
    if ((await older?.noteWindow(places.here)) === true) this.list.addPlaces();
    if ((await older?.noteOthers()) === true) this.list.addPlaces();
    await this.lookForFolders();
  }

  private async lookForFolders(which: 'all' | 'new' = 'all'): Promise<void> {
    const places = this.heads.flatMap(({ place }) => place ?? []);
    if ((await this.deps.places?.lookFor(places, which)) === true) this.list.fire();
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
