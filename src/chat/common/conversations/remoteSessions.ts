import { withoutUndefined } from '../../../base/common/withoutUndefined';
import * as z from 'zod';
import type { BackendRegistry } from '../../../session/common/backendRegistry';
import { BackendError, type SessionBackend, type SessionSummary } from '../../../session/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { Memento } from '../../../base/common/memento';
import type { ConversationHead } from '../chatStore';
import type { ConversationRow } from '../chatView';
import { parseRemoteRowId, remoteRowId, uniqueSessions } from './remoteRows';

export interface RemoteSearchOptions {
  readonly isKnown: (backendId: string, remoteId: string) => boolean;
  /** Returns only sessions in this folder, as an absolute path. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

interface LastList {
  readonly backendId: string;
  readonly backendTitle: string;
  readonly sessions: readonly SessionSummary[];
}

const timeoutMs = 5000;
const deletedName = 'chat.deletedSessions';
const renamedName = 'chat.renamedSessions';
/** Maximum number of stored deletions, and of titles. Sessions of dropped deletions are listed again if the backend has them. */
const maxStored = 500;

const Deleted = z.array(z.object({ backendId: z.string(), remoteId: z.string() }));
type Deleted = z.infer<typeof Deleted>;
const Renamed = z.array(z.object({ backendId: z.string(), remoteId: z.string(), title: z.string() }));
type Renamed = z.infer<typeof Renamed>;

/** Lists, renames and deletes sessions that backends store themselves. */
export class RemoteSessions {
  /** The last list of each backend, which is shown while it does not run, until it is removed. */
  private readonly lastLists = new Map<string, LastList>();

  constructor(
    private readonly registry: Pick<BackendRegistry, 'list'>,
    private readonly clock: Clock,
    private readonly log: Logger,
    /** Stores what the user has deleted or renamed while the backend did not run. */
    private readonly memento: Memento,
    /** Returns a backend that this window uses. */
    private readonly usedBackend: (id: string) => SessionBackend | undefined,
  ) {}

  /** Finds sessions by title: those that `backends` list now, and those that others have listed. Never rejects. */
  async search(
    backends: readonly SessionBackend[],
    query: string,
    options: RemoteSearchOptions,
  ): Promise<ConversationRow[]> {
    await Promise.all([
      this.forgetRemoved(options.signal),
      ...backends.map((backend) => this.listWithDeadline(backend, options)),
    ]);
    const rows = [...this.lastLists.values()].flatMap((list) => this.rowsOf(list, options));
    const words = query.toLowerCase().split(/\s+/);
    return uniqueSessions(rows).filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  }

  /** Lists sessions, starting the backend if necessary. No time limit. @throws BackendError, e.g. `unsupported` */
  async listSessions(backend: SessionBackend, options: RemoteSearchOptions): Promise<readonly ConversationRow[]> {
    const { cwd, signal } = options;
    const { canList } = await backend.capabilities(signal);
    if (!canList) throw new BackendError('unsupported', `${backend.title} can’t list its conversations.`);
    const sessions = await backend.listSessions(withoutUndefined({ signal, cwd }));
    const list = { backendId: backend.id, backendTitle: backend.title, sessions };
    this.lastLists.set(backend.id, list);
    return this.rowsOf(list, options);
  }

  private rowsOf({ backendId, backendTitle, sessions }: LastList, { isKnown }: RemoteSearchOptions): ConversationRow[] {
    return sessions
      .filter(({ id }) => !isKnown(backendId, id) && !this.isDeleted(backendId, id))
      .map(({ id, title, updatedAt }) => ({
        id: remoteRowId(backendId, id),
        title: title ?? 'Untitled conversation',
        backendId,
        backendTitle,
        updatedAt: timeOf(updatedAt),
        state: 'idle',
        remote: true,
      }));
  }

  /** Hides a session from the list, and deletes it in the backend if that is running and supports it. Never rejects. */
  async hideAndDelete(backendId: string, remoteId: string): Promise<void> {
    this.store(deletedName, [...this.deletedSessions, { backendId, remoteId }]);
    const backend = this.usedBackend(backendId);
    if (backend?.state.kind === 'ready') await this.deleteInBackend(backend, remoteId);
  }

  /** Gives a session the title that the user has chosen, now or when its backend runs, if that supports it. Never rejects. */
  async rename({ backendId, remoteId }: SessionOfHead = {}, title: string): Promise<void> {
    if (backendId === undefined || remoteId === undefined || title === '') return;
    this.store(renamedName, [
      ...this.renamedSessions.filter(isOther(backendId, remoteId)),
      { backendId, remoteId, title },
    ]);
    const backend = this.usedBackend(backendId);
    if (backend?.state.kind === 'ready') await this.renameInBackend(backend, remoteId, title);
  }

  /** Does in the backend what the user has deleted and renamed while it was not running. Never rejects. */
  async catchUp(backend: SessionBackend): Promise<void> {
    const isOfBackend = ({ backendId }: { readonly backendId: string }): boolean => backendId === backend.id;
    for (const { remoteId } of this.deletedSessions.filter(isOfBackend)) await this.deleteInBackend(backend, remoteId);
    for (const { remoteId, title } of this.renamedSessions.filter(isOfBackend))
      await this.renameInBackend(backend, remoteId, title);
  }

  /** Returns the title of the session in the last list, if any. */
  listedTitleOf(backendId: string, remoteId: string): string | undefined {
    return this.lastLists.get(backendId)?.sessions.find(({ id }) => id === remoteId)?.title;
  }

  /** Returns the title of a listed session by the id of its row. */
  titleOfRow(rowId: string): string | undefined {
    const { backendId, remoteId } = parseRemoteRowId(rowId) ?? {};
    return backendId === undefined || remoteId === undefined ? undefined : this.listedTitleOf(backendId, remoteId);
  }

  /** Forgets the lists of agents that are no longer in the settings: their sessions could not be opened. Never rejects. */
  private async forgetRemoved(signal: AbortSignal | undefined): Promise<void> {
    try {
      const known = new Set((await this.registry.list(signal)).map(({ id }) => id));
      for (const id of this.lastLists.keys()) if (!known.has(id)) this.lastLists.delete(id);
    } catch (error) {
      this.log.debug(`Cannot list the agents: ${messageOf(error)}`);
    }
  }

  private get deletedSessions(): Deleted {
    return Deleted.safeParse(this.memento.get(deletedName)).data ?? [];
  }

  private get renamedSessions(): Renamed {
    return Renamed.safeParse(this.memento.get(renamedName)).data ?? [];
  }

  private store(name: string, sessions: Deleted): void {
    this.memento
      .update(name, sessions.slice(-maxStored))
      .then(undefined, (error: unknown) =>
        this.log.warn(`Cannot store deleted and renamed sessions: ${messageOf(error)}`),
      );
  }

  private isDeleted(backendId: string, remoteId: string): boolean {
    return this.deletedSessions.some((one) => one.backendId === backendId && one.remoteId === remoteId);
  }

  private async deleteInBackend(backend: SessionBackend, id: string): Promise<void> {
    try {
      await withDeadline(this.clock, 'Deleting a session', timeoutMs, async () => {
        if (!(await backend.capabilities()).canDelete) return;
        await backend.deleteSession(id);
        this.store(deletedName, this.deletedSessions.filter(isOther(backend.id, id)));
      });
    } catch (error) {
      this.log.debug(`${backend.title} did not delete a session: ${messageOf(error)}`);
    }
  }

  private async renameInBackend(backend: SessionBackend, id: string, title: string): Promise<void> {
    try {
      await withDeadline(this.clock, 'Renaming a session', timeoutMs, async () => {
        if ((await backend.capabilities()).canSetTitle === true) await backend.setSessionTitle?.(id, title);
      });
    } catch (error) {
      this.log.debug(`${backend.title} did not rename a session: ${messageOf(error)}`);
    }
    // An agent that refuses a title does so again. Another one may have been chosen in the meantime.
    this.store(
      renamedName,
      this.renamedSessions.filter((one) => isOther(backend.id, id)(one) || one.title !== title),
    );
  }

  /** If the backend does not answer, its last list stays. */
  private async listWithDeadline(backend: SessionBackend, options: RemoteSearchOptions): Promise<void> {
    try {
      await withDeadline(this.clock, 'Listing sessions', timeoutMs, (deadline) => {
        const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
        return this.listSessions(backend, { ...options, signal });
      });
    } catch (error) {
      this.log.debug(`${backend.title} did not list its sessions: ${messageOf(error)}`);
    }
  }
}

type SessionOfHead = Partial<Pick<ConversationHead, 'backendId' | 'remoteId'>>;

function isOther(backendId: string, remoteId: string): (one: Deleted[number]) => boolean {
  return (one) => one.backendId !== backendId || one.remoteId !== remoteId;
}

function timeOf(rfc3339: string | undefined): number {
  const time = rfc3339 === undefined ? Number.NaN : Date.parse(rfc3339);
  return Number.isNaN(time) ? 0 : time;
}
