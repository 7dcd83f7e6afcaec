import * as vscode from 'vscode';
import { setSetting } from './workspace';

const setting = 'editor.formatOnSave';

/**
 * Formats files of plain text whenever they are saved. VS Code waits for a formatter for as long as it takes, while it gives
 * up other save participants after a second and a half. `stopFormatting` takes the setting back.
 */
export async function formatOnSave(
  format: (document: vscode.TextDocument) => Promise<vscode.TextEdit[]>,
): Promise<vscode.Disposable> {
  await setSetting(setting, true);
  return vscode.languages.registerDocumentFormattingEditProvider('plaintext', {
    provideDocumentFormattingEdits: format,
  });
}

export async function stopFormatting(): Promise<void> {
  await setSetting(setting, undefined);
}
