import * as vscode from 'vscode';
import type { ChatFileAccess } from '../../common/chatFileAccess';

/** Saves in the editors of this window. Only files with the scheme `file` are reported. */
export const windowSaveEvents: Pick<ChatFileAccess, 'onWillSave' | 'onDidSave'> = {
  onWillSave: (listener) =>
    vscode.workspace.onWillSaveTextDocument((save) => {
      const { fsPath, scheme } = save.document.uri;
      if (scheme === 'file') listener({ path: fsPath, waitUntil: (work) => save.waitUntil(work) });
    }),
  onDidSave: (listener) =>
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.scheme === 'file') listener(uri.fsPath);
    }),
};
