import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { BackendSession } from '../../../session/common/sessionBackend';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { Role, ThreadEntry, ThreadMetadata } from './draftSchema';
import type { StoredThread, DraftThreadSource } from './draftThreads';

const maxThreads = 50;
/** Maximum number of messages per thread. The oldest are dropped. */
const maxEntries = 500;
const maxTitleUnits = 80;

/** Offers the window's conversations with any backend as threads of the draft protocol. Stores them in memory. */
export class SessionThreads implements DraftThreadSource, Disposable {
  private readonly threadById = new Map<string, StoredThread>();
  private readonly readAbortController = new AbortController();

  constructor(
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  recordEventsOf(session: BackendSession): void {
    const thread: StoredThread = { id: session.id, title: '', modifiedMs: this.clock.now(), entries: [] };
    this.threadById.set(session.id, thread);
    this.evictOldest();
    this.readEvents(session, thread).catch((error: unknown) => {
      this.log.warn(`a session is no longer followed as a thread: ${messageOf(error)}`);
    });
  }

  getThreads(): Promise<ThreadMetadata[]> {
    const nonEmpty = [...this.threadById.values()].filter(({ entries }) => entries.length > 0);
    return Promise.resolve(
      nonEmpty.map(({ id, title, modifiedMs }) => ({ id, title, modifiedAt: new Date(modifiedMs).toISOString() })),
    );
  }

  getThreadEntries(threadId: string): Promise<ThreadEntry[] | undefined> {
    const entries = this.threadById.get(threadId)?.entries;
    return Promise.resolve(entries && [...entries]);
  }

  dispose(): void {
    this.readAbortController.abort();
    this.threadById.clear();
  }

  private async readEvents(session: BackendSession, thread: StoredThread): Promise<void> {
    for await (const { event } of session.events({ signal: this.readAbortController.signal }))
      this.applyEvent(thread, event);
  }

  private applyEvent(thread: StoredThread, { event, data }: SessionEvent): void {
    if (event === 'session:info' && data.title !== undefined) thread.title = data.title;
    if (event === 'prompt:submit') {
      if (thread.title === '') thread.title = data.prompt.slice(0, maxTitleUnits);
      this.addMessage(thread, 'user', data.prompt);
    }
    if (event === 'prompt:complete' && data.response !== '') this.addMessage(thread, 'assistant', data.response);
  }

  private addMessage(thread: StoredThread, role: Role, text: string): void {
    thread.modifiedMs = this.clock.now();
    thread.entries.push({ type: 'message', role, chunks: [{ type: 'text', chunk: text }] });
    if (thread.entries.length > maxEntries) thread.entries.shift();
  }

  private evictOldest(): void {
    const oldestFirst = [...this.threadById.values()].sort((a, b) => a.modifiedMs - b.modifiedMs);
    for (const { id } of oldestFirst.slice(0, Math.max(0, this.threadById.size - maxThreads)))
      this.threadById.delete(id);
  }
}
