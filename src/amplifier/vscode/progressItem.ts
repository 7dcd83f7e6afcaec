import * as vscode from 'vscode';
import { progressText, type SessionProgress } from '../common/server/progressText';
import type { BackendSession } from '../../session/common/sessionBackend';

/** Shows the current activity of agents in the status bar. */
export class ProgressItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('backline.progress', vscode.StatusBarAlignment.Left, 0);
  /** The newest last. */
  private readonly sessions = new Map<BackendSession, SessionProgress>();

  report(session: BackendSession, progress: SessionProgress): void {
    this.sessions.delete(session);
    this.sessions.set(session, progress);
    this.render();
  }

  /** Call when the turn or the session ends. */
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
    this.item.name = 'Backline: Agent Progress';
    this.item.text = text;
    this.item.tooltip = newestFirst.map(({ message }) => message).join('\n');
    this.item.show();
  }
}
