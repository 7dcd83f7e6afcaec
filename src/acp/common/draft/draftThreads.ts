import type { Message, MessageChunk, ThreadEntry, ThreadMetadata } from './draftSchema';

export interface ThreadApi {
  /** Returns all threads, newest first. */
  getThreads(): Promise<ThreadMetadata[]>;
  createThread(): Promise<string>;
  /** Opens a thread. @throws Error for an unknown thread, as do the methods below */
  openThread(threadId: string): Promise<void>;
  getThreadEntries(threadId: string): Promise<ThreadEntry[]>;
  sendMessage(threadId: string, message: Message): Promise<void>;
  /** Appends to the peer's current answer. */
  streamMessageChunk(threadId: string, chunk: MessageChunk): Promise<void>;
  /** Records that the peer read a file for the thread. Ignores unknown threads. */
  didReadFile(threadId: string, path: string, content: string): void;
}

/** Read-only conversations from another source, for example Amp's threads. */
export interface DraftThreadSource {
  getThreads(): Promise<ThreadMetadata[]>;
  getThreadEntries(threadId: string): Promise<ThreadEntry[] | undefined>;
}

export interface StoredThread {
  readonly id: string;
  title: string;
  modifiedMs: number;
  entries: ThreadEntry[];
}

export interface MemoryThreadsOptions {
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly createId: () => string;
  /** Other sources of threads. If one fails, the threads of the others are still listed. */
  readonly sources?: readonly DraftThreadSource[];
  /** Called when a source fails. The answer then does not contain its threads. */
  readonly onError?: (error: unknown) => void;
  /** Maximum length of all texts of a thread, in UTF-16 units; default 8 Mi. The oldest entries are dropped. */
  readonly maxUnitsPerThread?: number;
  /** Maximum number of threads; default 200. The least recently changed threads that are not open are dropped. */
  readonly maxThreads?: number;
  readonly isThreadOpen?: (threadId: string) => boolean;
}

const defaultMaxUnitsPerThread = 8 * 1024 * 1024;
const defaultMaxThreads = 200;
const maxTitleUnits = 80;

/** Stores conversations in memory. Streamed chunks extend the last message of the assistant. */
export class MemoryThreads implements ThreadApi {
  private readonly threads = new Map<string, StoredThread>();

  constructor(private readonly options: MemoryThreadsOptions) {}

  /** Whether the thread is stored here and not in another source. */
  has(threadId: string): boolean {
    return this.threads.has(threadId);
  }

  async getThreads(): Promise<ThreadMetadata[]> {
    const own = [...this.threads.values()].map(({ id, title, modifiedMs }) => ({
      id,
      title: title === '' ? 'New thread' : title,
      modifiedAt: new Date(modifiedMs).toISOString(),
    }));
    const listed = await Promise.all(
      this.otherThreadSources.map((source) => this.undefinedOnError(source.getThreads())),
    );
    // Another source may also list a thread that is stored here.
    const foreign = listed.flatMap((threads) => threads ?? []).filter(({ id }) => !this.threads.has(id));
    return [...own, ...foreign].sort((a, b) => Date.parse(b.modifiedAt) - Date.parse(a.modifiedAt));
  }

  createThread(): Promise<string> {
    const id = this.options.createId();
    this.add(id);
    return Promise.resolve(id);
  }

  /** Adds a thread from another source. Does nothing if it already exists. */
  add(id: string, entries: readonly ThreadEntry[] = []): void {
    if (this.threads.has(id)) return;
    const first = entries.find((entry) => entry.type === 'message' && entry.role === 'user');
    const title = first?.type === 'message' ? titleOf(first) : '';
    this.threads.set(id, { id, title, modifiedMs: this.options.now(), entries: [...entries] });
    if (this.threads.size > (this.options.maxThreads ?? defaultMaxThreads)) this.evictLeastRecentExcept(id);
  }

  async openThread(threadId: string): Promise<void> {
    await this.getThreadEntries(threadId);
  }

  async getThreadEntries(threadId: string): Promise<ThreadEntry[]> {
    const kept = this.threads.get(threadId);
    if (kept) return [...kept.entries];
    for (const source of this.otherThreadSources) {
      const entries = await this.undefinedOnError(source.getThreadEntries(threadId));
      if (entries) return entries;
    }
    throw unknownThreadError(threadId);
  }

  sendMessage(threadId: string, message: Message): Promise<void> {
    return this.changeThread(threadId, (thread) => {
      if (thread.title === '' && message.role === 'user') thread.title = titleOf(message);
      thread.entries.push({ type: 'message', ...message });
    });
  }

  streamMessageChunk(threadId: string, chunk: MessageChunk): Promise<void> {
    return this.changeThread(threadId, ({ entries }) => {
      const last = entries.at(-1);
      if (last?.type !== 'message' || last.role !== 'assistant') {
        entries.push({ type: 'message', role: 'assistant', chunks: [chunk] });
        return;
      }
      // The chunks are joined, because otherwise each further chunk of a long answer would take longer.
      last.chunks = [{ type: 'text', chunk: messageText(last) + chunk.chunk }];
    });
  }

  didReadFile(threadId: string, path: string, content: string): void {
    const thread = this.threads.get(threadId);
    if (!thread) return;
    thread.entries.push({ type: 'readFile', path, content });
    this.dropOldEntries(thread);
  }

  private get otherThreadSources(): readonly DraftThreadSource[] {
    return this.options.sources ?? [];
  }

  private undefinedOnError<T>(promise: Promise<T>): Promise<T | undefined> {
    return promise.catch((error: unknown) => {
      this.options.onError?.(error);
      return undefined;
    });
  }

  private changeThread(threadId: string, change: (thread: StoredThread) => void): Promise<void> {
    const thread = this.threads.get(threadId);
    if (!thread) return Promise.reject(unknownThreadError(threadId));
    change(thread);
    thread.modifiedMs = this.options.now();
    this.dropOldEntries(thread);
    return Promise.resolve();
  }

  private evictLeastRecentExcept(keptId: string): void {
    const idle = [...this.threads.values()].filter(
      (thread) => thread.id !== keptId && !this.options.isThreadOpen?.(thread.id),
    );
    const [leastRecent] = idle.sort((a, b) => a.modifiedMs - b.modifiedMs);
    if (leastRecent) this.threads.delete(leastRecent.id);
  }

  private dropOldEntries(thread: StoredThread): void {
    const max = this.options.maxUnitsPerThread ?? defaultMaxUnitsPerThread;
    let units = thread.entries.reduce((sum, entry) => sum + lengthOf(entry), 0);
    while (units > max && thread.entries.length > 1) {
      const oldest = thread.entries.shift();
      units -= oldest ? lengthOf(oldest) : 0;
    }
  }
}

export function messageText({ chunks }: Message): string {
  return chunks.map(({ chunk }) => chunk).join('');
}

function lengthOf(entry: ThreadEntry): number {
  return entry.type === 'message' ? messageText(entry).length : entry.content.length;
}

function titleOf(message: Message): string {
  return messageText(message).trim().split('\n', 1)[0]?.slice(0, maxTitleUnits) ?? '';
}

function unknownThreadError(threadId: string): Error {
  return new Error(
    `There is no thread '${threadId}'. Call getThreads to list the threads, or createThread to create one.`,
  );
}
