import type { SessionBackend } from '../../amplifier/common/sessionBackend';
import { withDeadline, type Clock } from '../../base/common/async';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import type { SessionRow } from './chatView';

export interface RemoteSearch {
  readonly isKnown: (backendId: string, remoteId: string) => boolean;
  /** Absolute. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

const timeoutMs = 5000;
const prefix = 'remote:';

/** The conversations that backends remember themselves, of those that run: none is started for it. */
export class RemoteSessions {
  constructor(
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** By their titles. Never rejects. */
  async search(backends: readonly SessionBackend[], query: string, search: RemoteSearch): Promise<SessionRow[]> {
    const running = backends.filter(({ state }) => state.kind === 'ready');
    const lists = await Promise.all(running.map((backend) => this.list(backend, search)));
    const words = query.toLowerCase().split(/\s+/);
    return lists.flat().filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  }

  /** Never rejects. */
  async forget(backend: SessionBackend, remoteId: string): Promise<void> {
    try {
      await withDeadline(this.clock, 'Deleting a session', timeoutMs, async () => {
        if ((await backend.capabilities()).canDelete) await backend.deleteSession(remoteId);
      });
    } catch (error) {
      this.log.debug(`${backend.title} did not forget a session: ${messageOf(error)}`);
    }
  }

  private async list(backend: SessionBackend, { cwd, isKnown, signal }: RemoteSearch): Promise<SessionRow[]> {
    try {
      return await withDeadline(this.clock, 'Listing sessions', timeoutMs, async (deadline) => {
        const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
        if (!(await backend.capabilities(either)).canList) return [];
        const sessions = await backend.listSessions({ signal: either, ...(cwd === undefined ? {} : { cwd }) });
        return sessions
          .filter(({ id }) => !isKnown(backend.id, id))
          .map(({ id, title, updatedAt }) => ({
            id: remoteRowId(backend.id, id),
            title: title ?? 'Untitled conversation',
            backendTitle: backend.title,
            updatedAt: timeOf(updatedAt),
            state: 'idle' as const,
            remote: true,
          }));
      });
    } catch (error) {
      this.log.debug(`${backend.title} did not list its sessions: ${messageOf(error)}`);
      return [];
    }
  }
}

function remoteRowId(backendId: string, remoteId: string): string {
  return `${prefix}${encodeURIComponent(backendId)}:${encodeURIComponent(remoteId)}`;
}

/** Undefined for the id of a conversation that is here. */
export function parseRemoteRowId(id: string): { backendId: string; remoteId: string } | undefined {
  if (!id.startsWith(prefix)) return undefined;
  const [backendId, remoteId] = id.slice(prefix.length).split(':');
  if (backendId === undefined || remoteId === undefined) return undefined;
  try {
    return { backendId: decodeURIComponent(backendId), remoteId: decodeURIComponent(remoteId) };
  } catch {
    return undefined;
  }
}

function timeOf(rfc3339: string | undefined): number {
  const time = rfc3339 === undefined ? Number.NaN : Date.parse(rfc3339);
  return Number.isNaN(time) ? 0 : time;
}
