import { raceSignal, withDeadline, type Clock } from '../../../../base/common/async';
import { messageOf, TimeoutError } from '../../../../base/common/errors';
import type { Logger } from '../../../../base/common/log';
import { isEditorError, type EditorPort } from '../../../../editor/common/editorPort';
import type { BackendSession, CreateSessionOptions, SessionBackend } from '../../../../session/common/sessionBackend';
import { ApiFailure, documentedFailure, toApiFailure } from '../http/apiFailure';
import type { ProfileDirectory } from './profileDirectory';
import type { NewSessionBody } from '../http/requestSchemas';
import type { ServerLimits } from '../serverLimits';

/** The folders in which agents may work: the first one, or a folder inside any of them, as requested. */
export type AgentWorkspace = Pick<EditorPort, 'folders' | 'resolve' | 'stat'>;

interface SessionStarterDeps {
  readonly profileDirectory: Pick<ProfileDirectory, 'openBackend'>;
  readonly workspace: AgentWorkspace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: Pick<ServerLimits, 'approvalTimeoutMs' | 'createTimeoutMs' | 'closeTimeoutMs'>;
}

interface StartedSession {
  readonly backend: SessionBackend;
  readonly session: BackendSession;
  readonly cwd: string;
  readonly profile: string;
  /** Messages about differences from the request. */
  readonly notices: readonly string[];
}

/** Creates sessions in backends. After a failure or a time-out, closes a session that is no longer needed. */
export class SessionStarter {
  private readonly stopController = new AbortController();
  private readonly pendingCleanups = new Set<Promise<void>>();

  constructor(private readonly deps: SessionStarterDeps) {}

  /** Starts a session. `signal` fires when the client disconnects. @throws ApiFailure */
  async start(request: NewSessionBody, signal: AbortSignal): Promise<StartedSession> {
    const { clock, limits } = this.deps;
    const unwanted = AbortSignal.any([signal, this.stopController.signal]);
    try {
      return await withDeadline(clock, 'Starting the agent', limits.createTimeoutMs, (deadline) =>
        this.openSession(request, AbortSignal.any([unwanted, deadline])),
      );
    } catch (error) {
      if (unwanted.aborted) throw documentedFailure('SERVER_ERROR', 'The request was canceled.');
      if (error instanceof TimeoutError)
        throw documentedFailure('PROVIDER_UNAVAILABLE', `${error.message}. Try again.`);
      const failure = toApiFailure(error);
      // The request contains no session id, so the cause must be something else.
      throw failure.code === 'SESSION_NOT_FOUND' ? documentedFailure('MODULE_LOAD_FAILED', failure.message) : failure;
    }
  }

  get pendingCleanupCount(): number {
    return this.pendingCleanups.size;
  }

  /** Starts no more sessions. Resolves when unneeded ones are closed or time is up. Never rejects. */
  async stop(): Promise<void> {
    this.stopController.abort();
    const { clock, limits, log } = this.deps;
    await withDeadline(clock, 'closing unfinished sessions', limits.closeTimeoutMs, () =>
      Promise.all(this.pendingCleanups),
    ).catch((error: unknown) => log.warn(messageOf(error)));
  }

  private async openSession(
    { context, model, profile }: NewSessionBody,
    abortSignal: AbortSignal,
  ): Promise<StartedSession> {
    const { backend, name, notice } = await raceSignal(this.deps.profileDirectory.openBackend(profile), abortSignal);
    const { cwd, isRequested } = await raceSignal(this.resolveWorkingFolder(context?.workspace_root), abortSignal);
    const { approvalTimeoutMs } = this.deps.limits;
    const asked = { cwd, profile: name, approvalTimeoutMs, ...(model === undefined ? {} : { model }) };
    const session = await this.createSession(backend, asked, abortSignal);
    try {
      const notices = notice === undefined ? [] : [notice];
      if (!isRequested)
        notices.push(`The agent works in ${cwd}. The requested folder is not available on this server.`);
      if (model !== undefined) notices.push(...(await raceSignal(chooseModel(session, model), abortSignal)));
      return { backend, session, cwd, profile: name, notices };
    } catch (error) {
      this.trackCleanup(this.discardSession(session));
      throw error;
    }
  }

  private async createSession(
    backend: SessionBackend,
    options: CreateSessionOptions,
    abortSignal: AbortSignal,
  ): Promise<BackendSession> {
    abortSignal.throwIfAborted();
    const creating = backend.createSession(options, abortSignal);
    try {
      return await raceSignal(creating, abortSignal);
    } catch (error) {
      // A backend that ignores the signal may still create a session.
      this.trackCleanup(
        creating.then(
          (late) => this.discardSession(late),
          () => undefined,
        ),
      );
      throw error;
    }
  }

  /** Closes a session that is not needed. Never rejects. */
  private async discardSession(session: BackendSession): Promise<void> {
    const { clock, limits, log } = this.deps;
    try {
      await withDeadline(clock, 'closing a session', limits.closeTimeoutMs, () => session.close());
    } catch (error) {
      log.warn(`An unwanted session could not be closed: ${messageOf(error)}`);
    } finally {
      session.dispose();
    }
  }

  private trackCleanup(work: Promise<void>): void {
    this.pendingCleanups.add(work);
    void work.finally(() => this.pendingCleanups.delete(work));
  }

  private async resolveWorkingFolder(wanted: string | undefined): Promise<{ cwd: string; isRequested: boolean }> {
    const { workspace } = this.deps;
    const [first] = workspace.folders;
    if (!first) throw new ApiFailure(500, 'SERVER_ERROR', 'No folder is open. Open a folder and try again.');
    if (wanted === undefined) return { cwd: first.path, isRequested: true };
    try {
      const { path, type } = await workspace.stat(await workspace.resolve(wanted));
      if (type === 'directory') return { cwd: path, isRequested: true };
    } catch (error) {
      if (!isEditorError(error)) throw error;
    }
    return { cwd: first.path, isRequested: false };
  }
}

/** Sets the model option of the session, if the agent has one. Returns notices for the client. */
async function chooseModel(session: BackendSession, model: string): Promise<string[]> {
  const option = session.config.find(({ category }) => category === 'model');
  if (option?.type !== 'select' || !option.choices.some(({ value }) => value === model)) {
    return [`The agent doesn’t offer the model "${model}", so it uses its default model.`];
  }
  await session.setConfig(option.id, model);
  return [];
}
