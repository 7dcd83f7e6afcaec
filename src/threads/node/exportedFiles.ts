import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { searchable, textHits, type SearchableThread } from '../common/query/textHits';
import { parseQuery } from '../common/query/threadQuery';
import {
  ThreadError,
  type OpenThread,
  type ThreadHead,
  type ThreadHit,
  type ThreadSource,
  type ThreadSourceState,
} from '../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../common/threadReader';
import { FolderWatch } from './files/folderWatch';
import { newestFirst } from '../common/heads/newestFirst';
import { ThreadSubscriptions } from './threadSubscriptions';

interface ExportedFilesOptions {
  readonly reader: ThreadReader;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Threads in files that the user has opened or dropped, whatever their names. */
export class ExportedFiles implements ThreadSource {
  readonly kind = 'file';
  readonly title = 'Opened files';
  readonly state: ThreadSourceState = { kind: 'ready' };
  private readonly store = new DisposableStore();
  private readonly onListenerError = (error: unknown): void =>
    this.options.log.error('A listener of threads failed', error);
  private readonly changes = this.store.add(new Emitter<void>(this.onListenerError));
  readonly onDidChange = this.changes.event;
  private readonly subscriptions: ThreadSubscriptions;
  /** Paths by the id of the thread in them. */
  private readonly paths = new Map<string, string>();
  private readonly heads = new Map<string, ThreadHead>();
  /** Of what was searched, as it was read last. */
  private readonly searched = new Map<string, SearchableThread>();

  constructor(private readonly options: ExportedFilesOptions) {
    const costMs = (id: string): number => options.reader.costMs(this.paths.get(id) ?? '');
    this.subscriptions = this.store.add(new ThreadSubscriptions(options.clock, costMs, this.onListenerError));
  }

  /**
   * Takes a file in and returns what the list shows of it; its `id` opens the thread. `file` is absolute.
   * @throws ThreadError when it cannot be read, or is no thread.
   */
  async add(file: string, signal?: AbortSignal): Promise<ThreadHead> {
    const { head } = await this.options.reader.read({ path: file, source: 'file' }, signal);
    this.paths.set(head.id, file);
    this.heads.set(head.id, head);
    this.changes.fire();
    return head;
  }

  remove(threadId: string): void {
    this.heads.delete(threadId);
    this.searched.delete(threadId);
    if (this.paths.delete(threadId)) this.changes.fire();
  }

  async list(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    const heads: ThreadHead[] = [];
    for (const [threadId, file] of this.paths) {
      if (signal?.aborted === true) throw new ThreadError('cancelled', 'The listing was cancelled.');
      const head = await this.headOf(threadId, file);
      if (head) heads.push(head);
    }
    return newestFirst(heads);
  }

  async read(threadId: string, signal?: AbortSignal, onFirst?: (thread: OpenThread) => void): Promise<OpenThread> {
    return this.options.reader.read(this.fileOf(threadId), signal, onFirst);
  }

  async rawJson(threadId: string, entryId: string): Promise<string | undefined> {
    return this.options.reader.rawJson(this.fileOf(threadId), entryId);
  }

  /** Through prompts, answers and titles, which are kept from the first search on. A file that cannot be read has no hits. */
  async search(query: string): Promise<readonly ThreadHit[]> {
    const parsed = parseQuery(query);
    const hits: ThreadHit[] = [];
    for (const [threadId, file] of this.paths) {
      const thread = await this.searchableOf(threadId, file).catch(() => undefined);
      if (thread) hits.push(...textHits(thread, parsed, this.options.clock.now()));
    }
    return hits;
  }

  subscribe(threadId: string, listener: () => void): Disposable {
    const file = this.paths.get(threadId);
    const subscription = this.subscriptions.add(threadId, listener);
    if (file === undefined) return subscription;
    const { clock, log } = this.options;
    const watch = this.store.add(
      new FolderWatch({
        folder: path.dirname(file),
        accepts: (name) => name === path.basename(file),
        onChange: () => this.changed(threadId),
        clock,
        log,
      }),
    );
    void watch.start();
    return toDisposable(() => {
      subscription.dispose();
      this.store.release(watch);
      watch.dispose();
    });
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Read again only when its file has changed. */
  private async headOf(threadId: string, file: string): Promise<ThreadHead | undefined> {
    const known = this.heads.get(threadId);
    const stats = await stat(file).catch(() => undefined);
    const mayBecomeStale = known?.state === 'running';
    if (known && stats && !mayBecomeStale && known.mtimeMs === stats.mtimeMs && known.sizeBytes === stats.size)
      return known;
    const head = await this.options.reader.head({ path: file, source: 'file', threadId });
    if (head?.isBeingWritten) return known ?? head;
    if (head) this.heads.set(threadId, head);
    else this.heads.delete(threadId);
    return head;
  }

  /** Read again only when its file has changed. @throws ThreadError */
  private async searchableOf(threadId: string, file: string): Promise<SearchableThread> {
    const known = this.searched.get(threadId);
    const stats = await stat(file);
    if (known?.head.mtimeMs === stats.mtimeMs && known.head.sizeBytes === stats.size) return known;
    const thread = searchable(await this.read(threadId));
    this.searched.set(threadId, thread);
    return thread;
  }

  private changed(threadId: string): void {
    this.subscriptions.changed(new Set([threadId]));
    this.changes.fire();
  }

  private fileOf(threadId: string): ThreadFile {
    const file = this.paths.get(threadId);
    if (file === undefined)
      throw new ThreadError('notFound', `The file of the thread ${threadId} was not opened. Open it again.`);
    return { path: file, source: 'file', threadId };
  }
}
