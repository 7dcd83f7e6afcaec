import type { Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { Diagnostic, EditorPort } from '../../editor/common/editorPort';
import type { SessionEvent } from '../../session/common/sessionEvents';
import type { BackendSession } from '../../session/common/sessionBackend';
import { Problems } from './problems';
import { ProgressItem } from './progressItem';

/** Shows diagnostics of sessions in the Problems view, and their progress in the status bar. */
export class SessionEffects implements Disposable {
  private readonly problems: Problems;
  private readonly progress = new ProgressItem();
  private readonly ended = new AbortController();
  private readonly followed = new WeakSet<BackendSession>();

  constructor(
    editor: Pick<EditorPort, 'resolve'>,
    private readonly log: Logger,
  ) {
    this.problems = new Problems(editor);
  }

  /** Follows a session until it ends, then removes what it has shown. Ignores sessions it already follows. */
  follow(session: BackendSession): void {
    if (this.followed.has(session)) return;
    this.followed.add(session);
    void this.read(session);
  }

  /** Whether a session has reported the problem. `path` is absolute. */
  isReported(path: string, problem: Diagnostic): boolean {
    return this.problems.has(path, problem);
  }

  dispose(): void {
    this.ended.abort();
    this.progress.dispose();
    this.problems.dispose();
  }

  private async read(session: BackendSession): Promise<void> {
    try {
      for await (const { event } of session.events({ signal: this.ended.signal })) await this.show(session, event);
    } catch (error) {
      this.log.error(`cannot follow session ${session.id}`, error);
    } finally {
      if (!this.ended.signal.aborted) {
        this.progress.clear(session);
        this.problems.clearSession(session);
      }
    }
  }

  private async show(session: BackendSession, event: SessionEvent): Promise<void> {
    switch (event.event) {
      case 'diagnostic:add':
        await this.problems.add(session, event.data);
        return;
      case 'diagnostic:clear':
        await this.problems.clear(session, event.data);
        return;
      case 'status:update': {
        const { status, message = status, progress: percent } = event.data;
        this.progress.report(session, { message, percent });
        return;
      }
      case 'prompt:complete':
      case 'error':
        this.progress.clear(session);
        return;
      default:
        return;
    }
  }
}
