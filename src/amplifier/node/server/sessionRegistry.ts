import { withDeadline, type Clock } from '../../../base/common/async';
import { TimeoutError } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { isEditorError, type EditorPort } from '../../../editor/common/editorPort';
import type { SessionStatusName } from '../../common/apiSchema';
import type { BackendSession, CreateSessionOptions, SessionBackend } from '../../common/sessionBackend';
import { ApiFailure, documented, sessionNotFound, toApiFailure } from './apiFailure';
import type { ProfileDirectory } from './profileDirectory';
import type { NewSession } from './requestSchemas';
import { ServedSession } from './servedSession';
import type { ServerLimits } from './serverLimits';

/** Where agents may work: the first folder, or one inside any of them that a client names. */
export type Workspace = Pick<EditorPort, 'folders' | 'resolve' | 'stat'>;

export interface SessionRegistryOptions {
  readonly profiles: ProfileDirectory;
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newId: () => string;
  readonly limits: ServerLimits;
}

/** The sessions of the server, by their UUIDs. */
export class SessionRegistry {
  private readonly sessions = new Map<string, ServedSession>();
  private readonly closing = new Set<Promise<void>>();
  private creating = 0;
  private isStopped = false;

  constructor(private readonly options: SessionRegistryOptions) {}

  get count(): number {
    return this.sessions.size;
  }

  /** Oldest first. */
  list(status?: SessionStatusName): ServedSession[] {
    return [...this.sessions.values()].filter((session) => status === undefined || session.status === status);
  }

  /** @throws ApiFailure 404 */
  get(id: string): ServedSession {
    const session = this.sessions.get(id);
    if (!session) throw sessionNotFound(id);
    return session;
  }

  /** `signal` fires when nobody waits for the session any more. @throws ApiFailure, BackendError */
  async create(request: NewSession, signal: AbortSignal): Promise<ServedSession> {
    const { limits, profiles } = this.options;
    this.makeRoom();
    this.creating++;
    try {
      const { context, model, profile } = request;
      const backend = await profiles.open(profile);
      const { cwd, isAsked } = await this.workingFolder(context?.workspace_root);
      const asked = model === undefined ? { cwd, profile } : { cwd, profile, model };
      const session = await this.createBackendSession(backend, asked, signal);
      if (signal.aborted || this.isStopped) {
        session.dispose();
        throw documented('SERVER_ERROR', 'Nobody waits for the session any more.');
      }
      const { clock, log, newId } = this.options;
      const id = newId();
      const served = new ServedSession({
        id,
        profile,
        cwd,
        backend,
        session,
        clock,
        log,
        limits,
        context: context ?? {},
      });
      this.sessions.set(id, served);
      served.start();
      if (!isAsked) served.notice('info', `The agent works in ${cwd}: this server offers no other folder.`);
      if (model !== undefined) await chooseModel(served, session, model);
      return served;
    } finally {
      this.creating--;
    }
  }

  /** Resolves when the backend has let the session go. @throws ApiFailure 404 */
  async delete(id: string): Promise<void> {
    const session = this.get(id);
    this.sessions.delete(id);
    const closed = session.close('user_stopped');
    this.closing.add(closed);
    await closed.finally(() => this.closing.delete(closed));
  }

  /** Ends all sessions; resolves when their backends have let them go. Never rejects. */
  async stop(): Promise<void> {
    this.isStopped = true;
    const sessions = [...this.sessions.values()];
    this.sessions.clear();
    await Promise.all([...this.closing, ...sessions.map((session) => session.close('server_stopped'))]);
  }

  /** @throws ApiFailure 429 when there is none */
  private makeRoom(): void {
    const { maxSessions } = this.options.limits;
    const isFull = (): boolean => this.sessions.size + this.creating >= maxSessions;
    for (const { id } of isFull() ? this.list('stopped') : []) this.sessions.delete(id);
    if (!isFull()) return;
    throw documented('RATE_LIMITED', `This server holds ${maxSessions} sessions. DELETE one first.`);
  }

  private async createBackendSession(
    backend: SessionBackend,
    options: CreateSessionOptions,
    signal: AbortSignal,
  ): Promise<BackendSession> {
    const { clock, limits } = this.options;
    try {
      return await withDeadline(clock, 'Starting the agent', limits.createTimeoutMs, (deadline) =>
        backend.createSession(options, AbortSignal.any([signal, deadline])),
      );
    } catch (error) {
      if (error instanceof TimeoutError) throw documented('PROVIDER_UNAVAILABLE', `${error.message}. Try again.`);
      const failure = toApiFailure(error);
      // There was none yet that a client could have named.
      throw failure.code === 'SESSION_NOT_FOUND' ? documented('MODULE_LOAD_FAILED', failure.message) : failure;
    }
  }

  private async workingFolder(wanted: string | undefined): Promise<{ cwd: string; isAsked: boolean }> {
    const { workspace } = this.options;
    const [first] = workspace.folders;
    if (!first) throw new ApiFailure(500, 'SERVER_ERROR', 'No folder is open. Open one and try again.');
    if (wanted === undefined) return { cwd: first.path, isAsked: true };
    try {
      const { path, type } = await workspace.stat(await workspace.resolve(wanted));
      if (type === 'directory') return { cwd: path, isAsked: true };
    } catch (error) {
      if (!isEditorError(error)) throw error;
    }
    return { cwd: first.path, isAsked: false };
  }
}

/** Agents offer their models as an option of the session, if at all. */
async function chooseModel(served: ServedSession, session: BackendSession, model: string): Promise<void> {
  const option = session.config.find(({ category }) => category === 'model');
  if (option?.type === 'select' && option.choices.some(({ value }) => value === model)) {
    await session.setConfig(option.id, model);
  } else {
    served.notice('info', `The agent offers no model "${model}", so it works with its own.`);
  }
}
