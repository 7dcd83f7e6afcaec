import * as vscode from 'vscode';
import type { OpenFile, WindowPort } from '../common/windowPort';

export class WindowState implements WindowPort {
  get openFiles(): readonly OpenFile[] {
    const { tabGroups } = vscode.window;
    return tabGroups.all.flatMap((group) =>
      group.tabs.flatMap((tab): OpenFile[] => {
        const uri = uriOf(tab.input);
        if (uri?.scheme !== 'file') return [];
        const isActive = tab.isActive && group === tabGroups.activeTabGroup;
        return [{ path: uri.fsPath, isActive, isVisible: tab.isActive, isUnsaved: tab.isDirty }];
      }),
    );
  }

  get unsavedFiles(): readonly { readonly path: string; readonly text: string }[] {
    return vscode.workspace.textDocuments
      .filter(({ uri, isDirty }) => isDirty && uri.scheme === 'file')
      .map((document) => ({ path: document.uri.fsPath, text: document.getText() }));
  }

  languageOf(path: string): string | undefined {
    return vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === path)?.languageId;
  }
}

function uriOf(input: unknown): vscode.Uri | undefined {
  if (input instanceof vscode.TabInputTextDiff) return input.modified;
  const isFile =
    input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputCustom ||
    input instanceof vscode.TabInputNotebook;
  return isFile ? input.uri : undefined;
}
