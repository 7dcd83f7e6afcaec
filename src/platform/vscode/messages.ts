import * as vscode from 'vscode';
import type { Logger } from '../../base/common/log';
import { NoticeBoard, type NoticeAction } from '../common/noticeBoard';
import { toSafeNotificationText } from '../../base/common/text/noticeText';

/** Creates the board of notices, which are notifications unless the user works where they have a place. */
export function createNoticeBoard(log: Logger): NoticeBoard {
  const messages = new Messages(log);
  return new NoticeBoard(({ actions, level, text }) => messages[level](text, ...actions));
}

/** Shows notifications with actions. Does not wait for an answer, because users can leave notifications open. */
export class Messages {
  constructor(private readonly log: Logger) {}

  info(message: string, ...actions: readonly NoticeAction[]): void {
    const labels = actions.map(({ label }) => label);
    this.runChosenAction(
      vscode.window.showInformationMessage(toSafeNotificationText(`Backline: ${message}`), ...labels),
      actions,
    );
  }

  warning(message: string, ...actions: readonly NoticeAction[]): void {
    const labels = actions.map(({ label }) => label);
    this.runChosenAction(
      vscode.window.showWarningMessage(toSafeNotificationText(`Backline: ${message}`), ...labels),
      actions,
    );
  }

  error(message: string, ...actions: readonly NoticeAction[]): void {
    const labels = actions.map(({ label }) => label);
    this.runChosenAction(
      vscode.window.showErrorMessage(toSafeNotificationText(`Backline: ${message}`), ...labels),
      actions,
    );
  }

  /** Resolves to whether the user has chosen the action, when the notification is gone. */
  async offer(message: string, label: string): Promise<boolean> {
    const text = toSafeNotificationText(`Backline: ${message}`);
    return (await vscode.window.showInformationMessage(text, label)) === label;
  }

  private runChosenAction(answer: Thenable<string | undefined>, actions: readonly NoticeAction[]): void {
    const act = async (): Promise<void> => {
      const chosen = await answer;
      await actions.find(({ label }) => label === chosen)?.run();
    };
    act().catch((error: unknown) => this.log.error('the action of a notification failed', error));
  }
}
