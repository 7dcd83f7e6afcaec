import * as vscode from 'vscode';
import { showHiddenCharacters } from '../../base/common/text/hiddenCharacters';
import { toSafeNotificationText } from '../../base/common/text/noticeText';

export interface ConfirmationQuestion {
  readonly message: string;
  readonly detail?: string;
  readonly action: string;
}

export interface ChoiceQuestion extends Omit<ConfirmationQuestion, 'action'> {
  readonly actions: readonly string[];
}

export interface Dialogs {
  /** Asks for confirmation. False if the user closes the dialog. */
  confirm(question: ConfirmationQuestion): Promise<boolean>;
  /** Asks for a choice. Undefined if the user closes the dialog. */
  choose(question: ChoiceQuestion): Promise<string | undefined>;
  /** Asks for a folder. Resolves to its absolute path. */
  chooseFolder(title: string): Promise<string | undefined>;
  chooseFile(suggested: vscode.Uri, filters: Record<string, string[]>): Promise<vscode.Uri | undefined>;
}

export const modalDialogs: Dialogs = {
  confirm: async ({ action, ...question }) => (await choose({ ...question, actions: [action] })) === action,
  choose,
  chooseFolder: async (title) => {
    const options = { title, openLabel: 'Locate', canSelectFolders: true, canSelectFiles: false };
    return (await vscode.window.showOpenDialog(options))?.[0]?.fsPath;
  },
  chooseFile: async (suggested, filters) =>
    await vscode.window.showSaveDialog({ defaultUri: suggested, filters, saveLabel: 'Export' }),
};

async function choose({ message, detail, actions }: ChoiceQuestion): Promise<string | undefined> {
  const lines = detail?.split('\n').map(showHiddenCharacters).join('\n');
  const options = { modal: true, ...(lines === undefined ? {} : { detail: lines }) };
  return await vscode.window.showWarningMessage(toSafeNotificationText(message), options, ...actions);
}
