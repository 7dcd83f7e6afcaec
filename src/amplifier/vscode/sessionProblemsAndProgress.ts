import type { Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { Diagnostic, EditorPort } from '../../editor/common/editorPort';
import type { SessionEvent } from '../../session/common/sessionEvents';
import type { BackendSession } from '../../session/common/sessionBackend';
import { AgentProblems } from './agentProblems';
import { ProgressItem } from './progressItem';

/** Shows diagnostics of sessions in the Problems view, and the progress of sessions in the status bar. */
export class SessionProblemsAndProgress implements Disposable {
  private readonly problems: AgentProblems;
  private readonly progressItem = new ProgressItem();
  private readonly disposeController = new AbortController();
  private readonly followedSessions = new WeakSet<BackendSession>();

  constructor(
    editor: Pick<EditorPort, 'resolve'>,
    private readonly log: Logger,
  ) {
    this.problems = new AgentProblems(editor);
  }

  /** Follows a session until it ends, then removes its diagnostics and progress. Once per session. */
  follow(session: BackendSession): void {
    if (this.followedSessions.has(session)) return;
    this.followedSessions.add(session);
    void this.readEvents(session);
  }

  isReported(path: string, problem: Diagnostic): boolean {
    return this.problems.hasReported(path, problem);
  }

  dispose(): void {
    this.disposeController.abort();
    this.progressItem.dispose();
    this.problems.dispose();
  }

  private async readEvents(session: BackendSession): Promise<void> {
    try {
      for await (const { event } of session.events({ signal: this.disposeController.signal }))
        await this.showEvent(session, event);
    } catch (error) {
      this.log.error(`cannot follow session ${session.id}`, error);
    } finally {
      if (!this.disposeController.signal.aborted) {
        this.progressItem.clear(session);
        this.problems.clearSession(session);
      }
    }
  }

  private async showEvent(session: BackendSession, event: SessionEvent): Promise<void> {
    switch (event.event) {
      case 'diagnostic:add':
        await this.problems.add(session, event.data);
        return;
      case 'diagnostic:clear':
        await this.problems.clear(session, event.data);
        return;
      case 'status:update': {
        const { status, message = status, progress: percent } = event.data;
        this.progressItem.report(session, { message, percent });
        return;
      }
      case 'prompt:complete':
      case 'error':
        this.progressItem.clear(session);
        return;
      default:
        return;
    }
  }
}
