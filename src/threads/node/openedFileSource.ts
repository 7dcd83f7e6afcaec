import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { toSearchableThread, findTextHits, type SearchableThread } from '../common/query/textHits';
import { parseQuery } from '../../texts/common/textQuery';
import {
  ThreadError,
  type ThreadWithEntries,
  type ThreadHead,
  type ThreadHit,
  type ThreadSource,
  type ThreadSourceState,
} from '../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../common/threadReader';
import { FolderWatcher } from './files/folderWatcher';
import { newestFirstWithoutDuplicates } from '../common/heads/newestFirst';
import { ThreadSubscriptions } from './threadSubscriptions';

interface OpenedFileSourceDeps {
  readonly reader: ThreadReader;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The threads in files that the user has opened or dropped. */
export class OpenedFileSource implements ThreadSource {
  readonly kind = 'file';
  readonly title = 'Opened files';
  readonly state: ThreadSourceState = { kind: 'ready' };
  private readonly disposables = new DisposableStore();
  private readonly onListenerError = (error: unknown): void =>
    this.deps.log.error('A listener of threads failed', error);
  private readonly changeEmitter = this.disposables.add(new Emitter<void>(this.onListenerError));
  readonly onDidChange = this.changeEmitter.event;
  private readonly subscriptions: ThreadSubscriptions;
  private readonly pathById = new Map<string, string>();
  private readonly headById = new Map<string, ThreadHead>();
  private readonly searchableById = new Map<string, SearchableThread>();

  constructor(private readonly deps: OpenedFileSourceDeps) {
    const costMs = (id: string): number => deps.reader.costMs(this.pathById.get(id) ?? '');
    this.subscriptions = this.disposables.add(new ThreadSubscriptions(deps.clock, costMs, this.onListenerError));
  }

  /** Adds the thread in a file. `file`: absolute path. @throws ThreadError if the file is not a thread */
  async add(file: string, signal?: AbortSignal): Promise<ThreadHead> {
    const { head } = await this.deps.reader.read({ path: file, source: 'file' }, signal);
    this.pathById.set(head.id, file);
    this.headById.set(head.id, head);
    this.changeEmitter.fire();
    return head;
  }

  remove(threadId: string): void {
    this.headById.delete(threadId);
    this.searchableById.delete(threadId);
    if (this.pathById.delete(threadId)) this.changeEmitter.fire();
  }

  async list(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    const heads: ThreadHead[] = [];
    for (const [threadId, file] of this.pathById) {
      if (signal?.aborted === true) throw new ThreadError('cancelled', 'Listing the threads was canceled.');
      const head = await this.headOf(threadId, file);
      if (head) heads.push(head);
    }
    return newestFirstWithoutDuplicates(heads);
  }

  async read(
    threadId: string,
    signal?: AbortSignal,
    onFirst?: (thread: ThreadWithEntries) => void,
  ): Promise<ThreadWithEntries> {
    return this.deps.reader.read(this.fileOf(threadId), signal, onFirst);
  }

  async rawJson(threadId: string, entryId: string): Promise<string | undefined> {
    return this.deps.reader.rawJson(this.fileOf(threadId), entryId);
  }

  /** Searches the opened files. Files that cannot be read have no hits. */
  async search(query: string): Promise<readonly ThreadHit[]> {
    const parsed = parseQuery(query);
    const hits: ThreadHit[] = [];
    for (const [threadId, file] of this.pathById) {
      const thread = await this.readSearchableThread(threadId, file).catch(() => undefined);
      if (thread) hits.push(...findTextHits(thread, parsed, this.deps.clock.now()));
    }
    return hits;
  }

  subscribe(threadId: string, listener: () => void): Disposable {
    const file = this.pathById.get(threadId);
    const subscription = this.subscriptions.add(threadId, listener);
    if (file === undefined) return subscription;
    const { clock, log } = this.deps;
    const watch = this.disposables.add(
      new FolderWatcher({
        folder: path.dirname(file),
        accepts: (name) => name === path.basename(file),
        onChange: () => this.reportChange(threadId),
        clock,
        log,
      }),
    );
    void watch.start();
    return toDisposable(() => {
      subscription.dispose();
      this.disposables.removeWithoutDisposing(watch);
      watch.dispose();
    });
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Returns the head of a thread. Reads the file again only if it has changed. */
  private async headOf(threadId: string, file: string): Promise<ThreadHead | undefined> {
    const known = this.headById.get(threadId);
    const stats = await stat(file).catch(() => undefined);
    const mayBecomeStale = known?.state === 'running';
    if (known && stats && !mayBecomeStale && known.mtimeMs === stats.mtimeMs && known.sizeBytes === stats.size)
      return known;
    const head = await this.deps.reader.head({ path: file, source: 'file', threadId });
    if (head?.isBeingWritten) return known ?? head;
    if (head) this.headById.set(threadId, head);
    else this.headById.delete(threadId);
    return head;
  }

  /** Returns the texts of a thread. Reads the file again only if it has changed. @throws ThreadError */
  private async readSearchableThread(threadId: string, file: string): Promise<SearchableThread> {
    const known = this.searchableById.get(threadId);
    const stats = await stat(file);
    if (known?.head.mtimeMs === stats.mtimeMs && known.head.sizeBytes === stats.size) return known;
    const thread = toSearchableThread(await this.read(threadId));
    this.searchableById.set(threadId, thread);
    return thread;
  }

  private reportChange(threadId: string): void {
    this.subscriptions.notify(new Set([threadId]));
    this.changeEmitter.fire();
  }

  private fileOf(threadId: string): ThreadFile {
    const file = this.pathById.get(threadId);
    if (file === undefined)
      throw new ThreadError('notFound', `The file of thread ${threadId} is not open. Open it again.`);
    return { path: file, source: 'file', threadId };
  }
}
