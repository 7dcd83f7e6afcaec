import { randomUUID } from 'node:crypto';
import * as path from 'node:path';
import { inParallel } from '../../../base/common/async';
import type { Logger } from '../../../base/common/log';
import { messageOf } from '../../../base/common/errors';
import type { FilePort, FileVersion } from '../../../base/node/filePort';
import type { ConversationHead } from '../../common/chatStore';
import type { ConversationFolders, ListedConversations } from '../conversationFolders';
import type { HeadFiles } from './headFiles';
import { decodeHeadIndex, encodeHeadIndex, type StoredHead } from './headIndex';

const maxParallelReads = 32;
/**
 * What has changed less than this before it was read may change again without another time of change, as some file systems
 * count in steps of two seconds. In milliseconds.
 */
const settledMs = 2000;
const temporarySuffix = '.tmp';

interface HeadScanDeps {
  readonly files: FilePort;
  readonly folders: ConversationFolders;
  readonly headFiles: Pick<HeadFiles, 'readStored'>;
  readonly log: Logger;
  /** Returns the head of a conversation whose head cannot be read. Undefined if it does not exist. Never rejects. */
  readonly rebuild: (id: string) => Promise<ConversationHead | undefined>;
}

/**
 * Reads all heads, but only those that have changed. What was read is kept in an index that all windows share: it says of each
 * folder and each head when it was changed, by the clock of their disk, and is believed as long as that is so. It never has to
 * be right: what it does not know, or not for certain, is read.
 */
export class HeadScan {
  private storedById = new Map<string, StoredHead>();
  private changedAtByRoot = new Map<string, number>();
  private isIndexRead = false;
  private isIndexCurrent = false;
  /** Whether nothing that the last scan has seen was too new to be believed. */
  private isSettled = false;

  constructor(private readonly deps: HeadScanDeps) {}

  /** Whether the index on disk says all that the last scan has found. */
  get isSaved(): boolean {
    return this.isIndexCurrent;
  }

  /**
   * Returns all heads by their id, without drafts. `onRead` gets those that were read from their files, as a whole.
   * @throws errors of the file port
   */
  async run(onRead: (head: ConversationHead) => void): Promise<ReadonlyMap<string, ConversationHead>> {
    if (!this.isIndexRead) await this.readIndex();
    return await this.scan(this.diskTime(), onRead);
  }

  /** Scans again, and writes the index. @throws errors of the file port */
  async save(onRead: (head: ConversationHead) => void): Promise<ReadonlyMap<string, ConversationHead>> {
    const time = this.diskTime();
    // Before the folders are looked at, so that what they say is known to be old enough.
    await time.get();
    const heads = await this.scan(time, onRead);
    await this.writeIndex();
    this.isIndexCurrent = this.isSettled;
    return heads;
  }

  /**
   * Writes the index with what the files of these heads say now, without a scan. As their folders have changed, the next scan
   * looks at all heads in them, but only reads those that have changed again. @throws errors of the file port
   */
  async saveChanged(ids: readonly string[]): Promise<void> {
    const time = this.diskTime();
    await inParallel(ids, maxParallelReads, async (id) => {
      // What others have changed is read when the watcher tells of it.
      const stored = await this.look(id, this.deps.folders.rootOf(id), time, () => undefined);
      if (stored) this.storedById.set(id, stored);
      else this.storedById.delete(id);
    });
    await this.writeIndex();
  }

  private get indexFile(): string {
    return path.join(this.deps.folders.indexFolder, 'heads.json');
  }

  private diskTime(): DiskTime {
    return new DiskTime(this.deps.files, this.deps.folders.indexFolder);
  }

  /** @throws errors of the file port */
  private async writeIndex(): Promise<void> {
    const { changedAtByRoot, storedById: headById } = this;
    await this.deps.files.replace(this.indexFile, encodeHeadIndex({ headById, changedAtByRoot }));
  }

  /** The head as it was read last, if it was in this folder. */
  private knownIn(root: string, id: string): StoredHead | undefined {
    const stored = this.storedById.get(id);
    return stored?.root === root ? stored : undefined;
  }

  private async readIndex(): Promise<void> {
    const { files, log } = this.deps;
    this.isIndexRead = true;
    const text = await files.read(this.indexFile).catch((error: unknown) => {
      log.debug(`Cannot read the list of conversations: ${messageOf(error)}`);
      return undefined;
    });
    const index = decodeHeadIndex(text);
    if (!index) return;
    this.storedById = new Map(index.headById);
    this.changedAtByRoot = new Map(index.changedAtByRoot);
    this.isIndexCurrent = true;
  }

  private async scan(
    time: DiskTime,
    onRead: (head: ConversationHead) => void,
  ): Promise<ReadonlyMap<string, ConversationHead>> {
    const { folders } = this.deps;
    const start = time.folderNow;
    const storedById = new Map<string, StoredHead>();
    const changedAtByRoot = new Map<string, number>();
    this.isSettled = true;
    for (const folder of await folders.list()) {
      await this.scanFolder(folder, time, storedById, onRead);
      const { changedAt, root } = folder;
      if (changedAt === undefined) continue;
      const isSame = changedAt === this.changedAtByRoot.get(root);
      if (isSame || isSettled(changedAt, start)) changedAtByRoot.set(root, changedAt);
      else this.isSettled = false;
      if (!isSame) this.isIndexCurrent = false;
    }
    this.storedById = storedById;
    this.changedAtByRoot = changedAtByRoot;
    const headById = new Map<string, ConversationHead>();
    for (const [id, { head }] of storedById) headById.set(id, head);
    return headById;
  }

  private async scanFolder(
    { changedAt, headIds, otherIds, root }: ListedConversations,
    time: DiskTime,
    storedById: Map<string, StoredHead>,
    onRead: (head: ConversationHead) => void,
  ): Promise<void> {
    const isUnchanged = changedAt !== undefined && changedAt === this.changedAtByRoot.get(root);
    const toRead: string[] = [];
    for (const id of headIds) {
      const known = isUnchanged ? this.knownIn(root, id) : undefined;
      if (known?.version) storedById.set(id, known);
      else toRead.push(id);
    }
    await inParallel(toRead, maxParallelReads, async (id) => {
      const stored = await this.look(id, root, time, onRead);
      if (stored) storedById.set(id, stored);
    });
    await inParallel(otherIds, maxParallelReads, async (id) => {
      const head = await this.deps.rebuild(id);
      if (head) storedById.set(id, { root, head, version: undefined });
    });
  }

  private async look(
    id: string,
    root: string,
    time: DiskTime,
    onRead: (head: ConversationHead) => void,
  ): Promise<StoredHead | undefined> {
    const { files, folders, headFiles, rebuild } = this.deps;
    const known = this.knownIn(root, id);
    const found = await files.versionOf(folders.headFileOf(id)).catch(() => 'unknown' as const);
    if (found === 'unknown' && known) {
      // A network drive may be gone for a moment.
      this.isSettled = this.isIndexCurrent = false;
      return { ...known, version: undefined };
    }
    const version = found === 'unknown' ? undefined : found;
    if (version && known?.version && isSameVersion(version, known.version)) return known;
    this.isIndexCurrent = false;
    const now = await time.get();
    const read = await headFiles.readStored(id);
    if (read) onRead(read);
    const head = read ?? (await rebuild(id));
    if (!head) return undefined;
    const isKnown = read !== undefined && version !== undefined && isSettled(version.mtimeMs, now);
    if (!isKnown) this.isSettled = false;
    return { root, head: withoutDraft(head), version: isKnown ? version : undefined };
  }
}

/** The time by the clock of the disk, which can be another one than that of this machine. */
class DiskTime {
  private asked: Promise<void> | undefined;
  /** Undefined if the disk was not asked, or has not told. In milliseconds since the epoch. */
  now: number | undefined;
  /** The same, but undefined also on a disk that does not tell when a folder has got other files, as FAT on Windows. */
  folderNow: number | undefined;

  constructor(
    private readonly files: FilePort,
    private readonly folder: string,
  ) {}

  /** Asks the disk once. Never rejects. */
  async get(): Promise<number | undefined> {
    this.asked ??= this.ask().catch(() => undefined);
    await this.asked;
    return this.now;
  }

  private async ask(): Promise<void> {
    const { files, folder } = this;
    const before = await files.modifiedAt(folder);
    await files.makeFolder(folder);
    const file = path.join(folder, `${randomUUID()}${temporarySuffix}`);
    await files.createNew(file, '');
    this.now = await files.modifiedAt(file);
    const after = await files.modifiedAt(folder);
    if (before !== undefined && before !== after) this.folderNow = this.now;
    await files.remove(file);
  }
}

/** Whether a change was long enough before `now` that a later one has another time. */
function isSettled(mtimeMs: number, now: number | undefined): boolean {
  return now !== undefined && now - mtimeMs >= settledMs;
}

/** A draft can be private and large, and no list shows it. */
export function withoutDraft(head: ConversationHead): ConversationHead {
  const listed = { ...head };
  delete listed.draft;
  return listed;
}

function isSameVersion(one: FileVersion, other: FileVersion): boolean {
  return one.mtimeMs === other.mtimeMs && one.sizeBytes === other.sizeBytes;
}
