import * as vscode from 'vscode';
import { showHiddenCharacters } from '../../base/common/hiddenCharacters';
import { toSafeNotice } from '../../base/common/noticeText';

export interface Confirmation {
  readonly message: string;
  readonly detail?: string;
  readonly action: string;
}

export interface Dialogs {
  /** Whether the user confirmed; false when the dialog was closed. */
  confirm(question: Confirmation): Promise<boolean>;
  chooseFile(suggested: vscode.Uri, filters: Record<string, string[]>): Promise<vscode.Uri | undefined>;
}

export const modalDialogs: Dialogs = {
  confirm: async ({ message, detail, action }) => {
    const lines = detail?.split('\n').map(showHiddenCharacters).join('\n');
    const options = { modal: true, ...(lines === undefined ? {} : { detail: lines }) };
    return (await vscode.window.showWarningMessage(toSafeNotice(message), options, action)) === action;
  },
  chooseFile: async (suggested, filters) =>
    await vscode.window.showSaveDialog({ defaultUri: suggested, filters, saveLabel: 'Export' }),
};
