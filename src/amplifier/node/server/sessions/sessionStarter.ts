import { raceSignal, withDeadline, type Clock } from '../../../../base/common/async';
import { messageOf, TimeoutError } from '../../../../base/common/errors';
import type { Logger } from '../../../../base/common/log';
import { isEditorError, type EditorPort } from '../../../../editor/common/editorPort';
import type { BackendSession, CreateSessionOptions, SessionBackend } from '../../../../session/common/sessionBackend';
import { ApiFailure, documented, toApiFailure } from '../http/apiFailure';
import type { ProfileDirectory } from './profileDirectory';
import type { NewSession } from '../http/requestSchemas';
import type { ServerLimits } from '../serverLimits';

/** Where agents may work: the first folder, or one inside any of them that a client names. */
export type Workspace = Pick<EditorPort, 'folders' | 'resolve' | 'stat'>;

interface SessionStarterOptions {
  readonly profiles: Pick<ProfileDirectory, 'open'>;
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: Pick<ServerLimits, 'approvalTimeoutMs' | 'createTimeoutMs' | 'closeTimeoutMs'>;
}

interface StartedSession {
  readonly backend: SessionBackend;
  /** Whoever asked for it owns it. */
  readonly session: BackendSession;
  readonly cwd: string;
  /** The name of the profile, which may be another one than was asked for. */
  readonly profile: string;
  /** What is not as it was asked for, in words. */
  readonly notices: readonly string[];
}

/** Gets sessions out of backends. One that nobody gets, because something failed or took too long, is closed again. */
export class SessionStarter {
  private readonly stopping = new AbortController();
  private readonly unfinished = new Set<Promise<void>>();

  constructor(private readonly options: SessionStarterOptions) {}

  /** `signal` fires when nobody waits for the session any more. @throws ApiFailure */
  async start(request: NewSession, signal: AbortSignal): Promise<StartedSession> {
    const { clock, limits } = this.options;
    const unwanted = AbortSignal.any([signal, this.stopping.signal]);
    try {
      return await withDeadline(clock, 'Starting the agent', limits.createTimeoutMs, (deadline) =>
        this.begin(request, AbortSignal.any([unwanted, deadline])),
      );
    } catch (error) {
      if (unwanted.aborted) throw documented('SERVER_ERROR', 'Nobody waits for the session any more.');
      if (error instanceof TimeoutError) throw documented('PROVIDER_UNAVAILABLE', `${error.message}. Try again.`);
      const failure = toApiFailure(error);
      // There was none yet that a client could have named.
      throw failure.code === 'SESSION_NOT_FOUND' ? documented('MODULE_LOAD_FAILED', failure.message) : failure;
    }
  }

  /** Sessions that nobody gets, and that are not closed yet. */
  get unfinishedCount(): number {
    return this.unfinished.size;
  }

  /** Starts no more; resolves when backends have let go of what nobody gets, or have had their time. Never rejects. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const { clock, limits, log } = this.options;
    await withDeadline(clock, 'closing unfinished sessions', limits.closeTimeoutMs, () =>
      Promise.all(this.unfinished),
    ).catch((error: unknown) => log.warn(messageOf(error)));
  }

  private async begin({ context, model, profile }: NewSession, unwanted: AbortSignal): Promise<StartedSession> {
    const { backend, name, notice } = await orUnwanted(this.options.profiles.open(profile), unwanted);
    const { cwd, isAsked } = await orUnwanted(this.workingFolder(context?.workspace_root), unwanted);
    const { approvalTimeoutMs } = this.options.limits;
    const asked = { cwd, profile: name, approvalTimeoutMs, ...(model === undefined ? {} : { model }) };
    const session = await this.createSession(backend, asked, unwanted);
    try {
      const notices = notice === undefined ? [] : [notice];
      if (!isAsked) notices.push(`The agent works in ${cwd}: this server offers no other folder.`);
      if (model !== undefined) notices.push(...(await orUnwanted(chooseModel(session, model), unwanted)));
      return { backend, session, cwd, profile: name, notices };
    } catch (error) {
      this.track(this.discard(session));
      throw error;
    }
  }

  private async createSession(
    backend: SessionBackend,
    options: CreateSessionOptions,
    unwanted: AbortSignal,
  ): Promise<BackendSession> {
    unwanted.throwIfAborted();
    const creating = backend.createSession(options, unwanted);
    try {
      return await orUnwanted(creating, unwanted);
    } catch (error) {
      // A backend that does not heed the signal may come with a session later.
      this.track(
        creating.then(
          (late) => this.discard(late),
          () => undefined,
        ),
      );
      throw error;
    }
  }

  /** Never rejects. */
  private async discard(session: BackendSession): Promise<void> {
    const { clock, limits, log } = this.options;
    try {
      await withDeadline(clock, 'closing a session', limits.closeTimeoutMs, () => session.close());
    } catch (error) {
      log.warn(`A session that nobody got could not be closed: ${messageOf(error)}`);
    } finally {
      session.dispose();
    }
  }

  private track(work: Promise<void>): void {
    this.unfinished.add(work);
    void work.finally(() => this.unfinished.delete(work));
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

/** Agents offer their models as an option of the session, if at all. Resolves with what there is to say about it. */
async function chooseModel(session: BackendSession, model: string): Promise<string[]> {
  const option = session.config.find(({ category }) => category === 'model');
  if (option?.type !== 'select' || !option.choices.some(({ value }) => value === model)) {
    return [`The agent offers no model "${model}", so it works with its own.`];
  }
  await session.setConfig(option.id, model);
  return [];
}

/** Rejects with the signal's reason when that fires first. */
function orUnwanted<T>(work: Promise<T>, unwanted: AbortSignal): Promise<T> {
  return raceSignal(work, unwanted, () => (unwanted.reason instanceof Error ? unwanted.reason : new Error('unwanted')));
}
