import * as vscode from 'vscode';
import { statusBarProgressText, type SessionProgress } from '../common/server/statusBarProgressText';
import type { BackendSession } from '../../session/common/sessionBackend';

/** Shows the current activity of agents in the status bar. */
export class ProgressItem implements vscode.Disposable {
  private readonly statusBarItem = vscode.window.createStatusBarItem(
    'backline.progress',
    vscode.StatusBarAlignment.Left,
    0,
  );
  /** The progress of each session. The newest comes last. */
  private readonly progressBySession = new Map<BackendSession, SessionProgress>();

  report(session: BackendSession, progress: SessionProgress): void {
    this.progressBySession.delete(session);
    this.progressBySession.set(session, progress);
    this.render();
  }

  clear(session: BackendSession): void {
    if (this.progressBySession.delete(session)) this.render();
  }

  dispose(): void {
    this.progressBySession.clear();
    this.statusBarItem.dispose();
  }

  private render(): void {
    const newestFirst = [...this.progressBySession.values()].reverse();
    const text = statusBarProgressText(newestFirst);
    if (text === undefined) {
      this.statusBarItem.hide();
      return;
    }
    this.statusBarItem.name = 'Backline: Agent Progress';
    this.statusBarItem.text = text;
    this.statusBarItem.tooltip = newestFirst.map(({ message }) => message).join('\n');
    this.statusBarItem.show();
  }
}
