import * as vscode from 'vscode';
import { progressText, type SessionProgress } from '../common/server/progressText';
import type { BackendSession } from '../../session/common/sessionBackend';

/** What agents say they are doing, in the status bar, while they do it. */
export class ProgressItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('backline.progress', vscode.StatusBarAlignment.Left, 0);
  /** By session; the newest last. */
  private readonly sessions = new Map<BackendSession, SessionProgress>();

  /** What the session does now. */
  report(session: BackendSession, progress: SessionProgress): void {
    this.sessions.delete(session);
    this.sessions.set(session, progress);
    this.render();
  }

  /** Its turn, or the session, has ended. */
  clear(session: BackendSession): void {
    if (this.sessions.delete(session)) this.render();
  }

  dispose(): void {
    this.sessions.clear();
    this.item.dispose();
  }

  private render(): void {
    const newestFirst = [...this.sessions.values()].reverse();
    const text = progressText(newestFirst);
    if (text === undefined) {
      this.item.hide();
      return;
    }
    this.item.name = 'Backline: Progress of Agents';
    this.item.text = text;
    this.item.tooltip = newestFirst.map(({ message }) => message).join('\n');
    this.item.show();
  }
}
