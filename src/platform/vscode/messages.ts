import * as vscode from 'vscode';
import type { Logger } from '../../base/common/log';
import { noticeText } from '../../base/common/noticeText';

export interface MessageAction {
  readonly label: string;
  readonly run: () => unknown;
}

/**
 * Tells the user something, with buttons for what to do next. It does not wait for the answer: a message that nobody
 * closes would keep whoever runs the command waiting.
 */
export class Messages {
  constructor(private readonly log: Logger) {}

  info(message: string, ...actions: readonly MessageAction[]): void {
    const labels = actions.map(({ label }) => label);
    this.run(vscode.window.showInformationMessage(noticeText(`Backline: ${message}`), ...labels), actions);
  }

  error(message: string, ...actions: readonly MessageAction[]): void {
    const labels = actions.map(({ label }) => label);
    this.run(vscode.window.showErrorMessage(noticeText(`Backline: ${message}`), ...labels), actions);
  }

  private run(answer: Thenable<string | undefined>, actions: readonly MessageAction[]): void {
    const act = async (): Promise<void> => {
      const chosen = await answer;
      await actions.find(({ label }) => label === chosen)?.run();
    };
    act().catch((error: unknown) => this.log.error('what a message offered failed', error));
  }
}
