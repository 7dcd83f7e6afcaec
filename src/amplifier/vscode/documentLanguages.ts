import * as vscode from 'vscode';
import type { Disposable } from '../../base/common/disposable';
import { LanguageTable } from '../common/context/languageTable';

/** Determines the language of files, even if VS Code has not loaded them. */
export class DocumentLanguages implements Disposable {
  private languageTable: LanguageTable | undefined;
  private extensionChangeListener: Disposable | undefined;

  followExtensions(): void {
    this.extensionChangeListener = vscode.extensions.onDidChange(() => (this.languageTable = undefined));
  }

  /** Returns VS Code's language id; by the file name if the file is not loaded; default is `plaintext`. */
  languageOf(path: string): string {
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === path);
    if (document) return document.languageId;
    this.languageTable ??= new LanguageTable(vscode.extensions.all.map(({ packageJSON }): unknown => packageJSON));
    return this.languageTable.languageOf(path) ?? 'plaintext';
  }

  dispose(): void {
    this.extensionChangeListener?.dispose();
  }
}
