import { Coalescer, KeyedQueue, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import type { FilePort } from '../../../base/node/filePort';
import type { ConversationHead } from '../../common/chatStore';
import type { ConversationFolders } from '../conversationFolders';
import type { OlderWorkspaces } from '../olderWorkspaces';
import type { HeadFiles } from './headFiles';
import { HeadScan, withoutDraft } from './headScan';
import { HeadsWatcher } from './headsWatcher';

const listDelayMs = 150;
/** How long nothing must have changed before the index is written: while an agent works, its head changes all the time. */
const saveDelayMs = 30_000;

interface HeadListDeps {
  /** Absolute path of the folder for all conversations. */
  readonly root: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly folders: ConversationFolders;
  readonly headFiles: HeadFiles;
  readonly older: OlderWorkspaces | undefined;
  /** Whether this window is the writer of a conversation, so that its head is newer than the one on disk. */
  readonly isOurs: (id: string) => boolean;
  readonly rebuild: (id: string) => Promise<ConversationHead | undefined>;
  /** Called with a head that another window may have written. If that changes one that this window writes, calls `set`. */
  readonly onRead: (head: ConversationHead) => void;
  /** Called after some heads were read, or all of them. */
  readonly onDidRead: (which: 'some' | 'all') => Promise<void>;
}

/** The heads of all conversations, as this window and others have written them last. */
export class HeadList implements Disposable {
  private readonly headById = new Map<string, ConversationHead>();
  private readonly emitter = new Emitter<void>((error) => this.deps.log.error('a listener failed', error));
  /** Fires when heads may have changed. */
  readonly onDidChange = this.emitter.event;
  private readonly scan: HeadScan;
  private scanned: ReadonlyMap<string, ConversationHead> = new Map();
  private listed: readonly ConversationHead[] | undefined;
  private readonly changedIds = new Set<string>();
  private isFullReadDue = false;
  /** Runs reads of the list in sequence, because on a slow disk an older read could overwrite a newer result. */
  private readonly queue = new KeyedQueue();
  private readonly watcher: HeadsWatcher;
  private readonly readCoalescer: Coalescer;
  private saveTimer: Disposable | undefined;
  /** Those that have changed since the index was written. */
  private readonly unsavedIds = new Set<string>();
  /** Whether more is unsaved than what has changed since the last scan. */
  private isScanUnsaved = false;
  private isDisposed = false;

  constructor(private readonly deps: HeadListDeps) {
    const { clock, files, log } = deps;
    this.scan = new HeadScan(deps);
    this.watcher = new HeadsWatcher({ files, log, onChange: (folder, name) => this.noteChange(folder, name) });
    this.readCoalescer = new Coalescer(clock, listDelayMs, () => void this.run(() => this.readChanged()));
  }

  get all(): readonly ConversationHead[] {
    return (this.listed ??= [...this.headById.values()]);
  }

  get(id: string): ConversationHead | undefined {
    return this.headById.get(id);
  }

  /** Sets a head that this window writes. */
  set(head: ConversationHead): void {
    this.headById.set(head.id, head);
    this.scheduleSave(head.id);
    this.fire();
  }

  delete(id: string): void {
    this.headById.delete(id);
    this.scheduleSave(id);
    this.fire();
  }

  /** Reads all heads and watches for changes. Never rejects. */
  async start(): Promise<void> {
    await this.run(() => this.readAll());
  }

  /** Runs `work` when the heads are not being read. */
  async run(work: () => Promise<void>): Promise<void> {
    await this.queue.run('list', work);
  }

  /** Adds where conversations belong of which that has become known. */
  addPlaces(): void {
    for (const [id, head] of this.headById) this.headById.set(id, this.deps.folders.withPlace(head));
    this.fire();
  }

  /** Call when something about the heads may have changed that they do not say themselves. */
  fire(): void {
    this.listed = undefined;
    if (!this.isDisposed) this.emitter.fire();
  }

  /** Writes what has changed to the index. Never rejects. */
  async stop(): Promise<void> {
    this.saveTimer?.dispose();
    if (this.isScanUnsaved || this.unsavedIds.size > 0) await this.run(() => this.saveAll());
  }

  dispose(): void {
    this.isDisposed = true;
    this.watcher.dispose();
    this.readCoalescer.dispose();
    this.saveTimer?.dispose();
    this.emitter.dispose();
  }

  private noteChange(folder: string, name: string | undefined): void {
    const { folders, older, root } = this.deps;
    const isRoot = folder === root;
    // The folder of a conversation is known by its head.
    if (isRoot && name !== undefined && older?.isName(name) !== true) return;
    const id = isRoot || name === undefined ? undefined : folders.noteHead(folder, name);
    if (id !== undefined) this.changedIds.add(id);
    else if (isRoot || name === undefined) this.isFullReadDue = true;
    else return;
    this.readCoalescer.schedule();
  }

  private async readAll(): Promise<void> {
    const { folders, log, older, root } = this.deps;
    try {
      this.watcher.watch(folders.headsFolders);
      await this.update((onRead) => this.scan.run(onRead));
      this.watcher.watch([...(older ? [root] : []), ...folders.headsFolders]);
      if (!this.scan.isSaved) this.scheduleSave();
    } catch (error) {
      log.warn(`Cannot list the conversations: ${messageOf(error)}`);
    }
    this.fire();
  }

  /** `changedId`: undefined if more than one head has changed. */
  private scheduleSave(changedId?: string): void {
    if (changedId === undefined) this.isScanUnsaved = true;
    else this.unsavedIds.add(changedId);
    this.saveTimer?.dispose();
    if (this.isDisposed) return;
    const save = (): Promise<void> => (this.isScanUnsaved ? this.saveAll() : this.saveChanged());
    this.saveTimer = this.deps.clock.setTimer(saveDelayMs, () => void this.run(save));
  }

  private async saveAll(): Promise<void> {
    this.isScanUnsaved = false;
    this.unsavedIds.clear();
    // Nothing is written where nothing is stored.
    if (this.scanned.size === 0 && this.headById.size === 0) return;
    await this.trySaving(async () => {
      if (await this.update((onRead) => this.scan.save(onRead))) this.fire();
    });
  }

  private async saveChanged(): Promise<void> {
    const ids = [...this.unsavedIds];
    this.unsavedIds.clear();
    if (ids.length > 0) await this.trySaving(() => this.scan.saveChanged(ids));
  }

  /** Never rejects. */
  private async trySaving(save: () => Promise<void>): Promise<void> {
    await save().catch((error: unknown) => {
      this.deps.log.debug(`Cannot save the list of conversations: ${messageOf(error)}`);
    });
  }

  /** Takes over what was read, but not what this window has changed during that. Resolves to whether the list differs. */
  private async update(
    read: (onRead: (head: ConversationHead) => void) => Promise<ReadonlyMap<string, ConversationHead>>,
  ): Promise<boolean> {
    const { folders, isOurs, onRead } = this.deps;
    const before = new Map(this.headById);
    const isFree = (id: string): boolean => !isOurs(id) && this.headById.get(id) === before.get(id);
    const heads = await read((head) => {
      if (isFree(head.id)) onRead(folders.withPlace(head));
    });
    let isChanged = false;
    for (const [id, head] of heads) {
      if (!isFree(id) || (this.headById.has(id) && this.scanned.get(id) === head)) continue;
      this.headById.set(id, folders.withPlace(head));
      isChanged = true;
    }
    for (const id of before.keys()) {
      if (!heads.has(id) && isFree(id) && this.headById.delete(id)) isChanged = true;
    }
    this.scanned = heads;
    return isChanged;
  }

  private async readChanged(): Promise<void> {
    const { isOurs, onDidRead } = this.deps;
    const changedIds = [...this.changedIds];
    this.changedIds.clear();
    if (this.isFullReadDue) {
      this.isFullReadDue = false;
      await this.readAll();
      await onDidRead('all');
      return;
    }
    // While an agent works, this window writes its head all the time. What others have changed in it, `onRead` sets.
    const areAllOurs = changedIds.every(isOurs);
    await Promise.all(changedIds.map((id) => this.refresh(id)));
    if (areAllOurs) return;
    this.fire();
    await onDidRead('some');
  }

  private async refresh(id: string): Promise<void> {
    const { headFiles, isOurs, onRead, rebuild } = this.deps;
    if (isOurs(id)) {
      const stored = await headFiles.read(id);
      if (stored) onRead(stored);
      return;
    }
    const before = this.headById.get(id);
    const head = (await headFiles.read(id)) ?? (await rebuild(id));
    // This window has changed or deleted the head during the read, so what was read is outdated.
    if (this.headById.get(id) !== before) return;
    if (head) onRead(head);
    if (head) this.headById.set(id, withoutDraft(head));
    else this.headById.delete(id);
  }
}
