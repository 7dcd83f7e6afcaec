import type { Clock } from '../../../../base/common/async';
import type { Logger } from '../../../../base/common/log';
import type { SessionStatusName } from '../../../common/api/apiSchema';
import { documentedFailure, sessionNotFoundFailure } from '../http/apiFailure';
import type { NewSessionBody } from '../http/requestSchemas';
import { ServedSession } from './servedSession';
import type { ServerLimits } from '../serverLimits';
import type { SessionStarter } from './sessionStarter';

interface SessionRegistryDeps {
  readonly starter: SessionStarter;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newId: () => string;
  readonly limits: ServerLimits;
}

export interface SessionLoadCounts {
  readonly sessions: number;
  /** Number of sessions that are being started or closed. */
  readonly sessionsInChange: number;
  readonly subscribers: number;
  readonly runningTurns: number;
  readonly pendingApprovals: number;
}

interface CreatedSession {
  readonly session: ServedSession;
  /** Messages about differences from the request. A message about the profile comes first. */
  readonly notices: readonly string[];
}

export class SessionRegistry {
  private readonly sessions = new Map<string, ServedSession>();
  private readonly pendingCloses = new Set<Promise<void>>();
  private creatingCount = 0;

  constructor(private readonly deps: SessionRegistryDeps) {}

  get count(): number {
    return this.sessions.size;
  }

  get loadCounts(): SessionLoadCounts {
    const sessions = [...this.sessions.values()];
    const sum = (count: (session: ServedSession) => number): number =>
      sessions.reduce((total, session) => total + count(session), 0);
    return {
      sessions: sessions.length,
      sessionsInChange: this.creatingCount + this.pendingCloses.size + this.deps.starter.pendingCleanupCount,
      subscribers: sum((session) => session.subscriberCount),
      runningTurns: sum((session) => (session.isBusy ? 1 : 0)),
      pendingApprovals: sum((session) => session.pendingApprovalCount),
    };
  }

  /** Returns the sessions, the oldest first. */
  list(status?: SessionStatusName): ServedSession[] {
    return [...this.sessions.values()].filter((session) => status === undefined || session.status === status);
  }

  /** Returns a session. @throws ApiFailure 404 */
  get(id: string): ServedSession {
    const session = this.sessions.get(id);
    if (!session) throw sessionNotFoundFailure(id);
    return session;
  }

  /** Creates a session. `signal` fires when the client disconnects. @throws ApiFailure */
  async create(request: NewSessionBody, signal: AbortSignal): Promise<CreatedSession> {
    const { clock, limits, log, newId, starter } = this.deps;
    this.makeRoom();
    this.creatingCount++;
    try {
      const { notices, ...started } = await starter.start(request, signal);
      const { context = {} } = request;
      const served = new ServedSession({ ...started, id: newId(), clock, log, limits, context });
      this.sessions.set(served.id, served);
      served.start();
      for (const notice of notices) served.emitNotice('info', notice);
      return { session: served, notices };
    } finally {
      this.creatingCount--;
    }
  }

  /** Deletes a session. Resolves when the backend has closed it. @throws ApiFailure 404 */
  async delete(id: string): Promise<void> {
    const session = this.get(id);
    this.sessions.delete(id);
    const closed = session.close('user_stopped');
    this.pendingCloses.add(closed);
    await closed.finally(() => this.pendingCloses.delete(closed));
  }

  /** Closes all sessions. Resolves when their backends have closed them. Never rejects. */
  async stop(): Promise<void> {
    const sessions = [...this.sessions.values()];
    this.sessions.clear();
    const ends = sessions.map((session) => session.close('server_stopped'));
    await Promise.all([this.deps.starter.stop(), ...this.pendingCloses, ...ends]);
  }

  /** Removes stopped sessions if the registry is full. @throws ApiFailure 429 if it is still full */
  private makeRoom(): void {
    const { maxSessions } = this.deps.limits;
    const isFull = (): boolean => this.sessions.size + this.creatingCount >= maxSessions;
    for (const { id } of isFull() ? this.list('stopped') : []) this.sessions.delete(id);
    if (!isFull()) return;
    throw documentedFailure('RATE_LIMITED', `The server has ${maxSessions} sessions. Delete one first.`);
  }
}
