import * as vscode from 'vscode';
import type { Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { toSafeNotificationText } from '../../base/common/text/noticeText';
import type { EditorPort } from '../../editor/common/editorPort';
import type { EditAnswer, RefusedEdit } from '../common/refusedEdits';

interface ProtectedEditQuestionsDeps {
  readonly editor: Pick<EditorPort, 'showDiff' | 'open'>;
  readonly log: Logger;
  /** Replaces `vscode.window.showWarningMessage` in tests. */
  readonly showMessage?: (message: string, ...buttons: string[]) => Thenable<string | undefined>;
}

const allow = 'Allow Once';
const show = 'Show Change';
const deny = 'Deny';
const showFile = 'Show File';

/** Asks about edits of protected files, and reports them. By notifications: the user is working in a terminal. */
export class ProtectedEditQuestions {
  constructor(private readonly deps: ProtectedEditQuestionsDeps) {}

  /** Asks whether to allow an edit, whose change must be viewed first. Undefined if the user dismisses it. */
  async ask(edit: RefusedEdit): Promise<EditAnswer | undefined> {
    const name = vscode.workspace.asRelativePath(edit.path);
    const message = `Backline: Amp wants to change ${name}, which is protected: ${edit.reason}. If you allow it, Amp has to try again.`;
    let diff: Disposable | undefined;
    try {
      for (;;) {
        const choice = await this.notify(message, ...(diff ? [allow] : []), show, deny);
        if (choice !== show) return choice === allow ? 'allow' : choice === deny ? 'deny' : undefined;
        diff?.dispose();
        diff = await this.showDiff(edit, name);
      }
    } finally {
      diff?.dispose();
    }
  }

  /** Reports a refused edit that was written. Resolves when the user dismisses the notification. Never rejects. */
  async reportWritten({ path, reason }: RefusedEdit): Promise<void> {
    const name = vscode.workspace.asRelativePath(path);
    const message = `Backline: Amp wrote ${name} itself after Backline refused the edit. Check the file: ${reason}.`;
    try {
      if ((await this.notify(message, showFile)) === showFile) await this.deps.editor.open(path);
    } catch (error) {
      this.deps.log.error(`${name} could not be shown`, error);
    }
  }

  private async showDiff(edit: RefusedEdit, name: string): Promise<Disposable | undefined> {
    try {
      return await this.deps.editor.showDiff(edit.path, edit.after, `${name} (change by Amp)`);
    } catch (error) {
      this.deps.log.error(`the change of ${name} could not be shown`, error);
      return undefined;
    }
  }

  private notify(text: string, ...buttons: string[]): Thenable<string | undefined> {
    const showMessage = this.deps.showMessage ?? vscode.window.showWarningMessage;
    return showMessage(toSafeNotificationText(text), ...buttons);
  }
}
