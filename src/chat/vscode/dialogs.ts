import * as vscode from 'vscode';
import { namingHiddenCharacters } from '../../base/common/hiddenCharacters';
import { noticeText } from '../../base/common/noticeText';

export interface Question {
  readonly message: string;
  readonly detail?: string;
  /** What the button says that does it. */
  readonly action: string;
}

/** What the user is asked in the way of everything else. */
export interface Dialogs {
  /** Whether the user wants it; not by closing the question. */
  confirm(question: Question): Promise<boolean>;
  /** Undefined when the user does not say. */
  chooseFile(suggested: vscode.Uri, filters: Record<string, string[]>): Promise<vscode.Uri | undefined>;
}

export const modalDialogs: Dialogs = {
  confirm: async ({ message, detail, action }) => {
    const lines = detail?.split('\n').map(namingHiddenCharacters).join('\n');
    const options = { modal: true, ...(lines === undefined ? {} : { detail: lines }) };
    return (await vscode.window.showWarningMessage(noticeText(message), options, action)) === action;
  },
  chooseFile: async (suggested, filters) =>
    await vscode.window.showSaveDialog({ defaultUri: suggested, filters, saveLabel: 'Export' }),
};
