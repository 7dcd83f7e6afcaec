import * as vscode from 'vscode';
import type { Disposable } from '../../base/common/disposable';
import { LanguageTable } from '../common/context/languageTable';

/** Determines the language of files, whether or not VS Code has loaded them. */
export class DocumentLanguages implements Disposable {
  private languageTable: LanguageTable | undefined;
  private extensionChangeListener: Disposable | undefined;

  followExtensions(): void {
    this.extensionChangeListener = vscode.extensions.onDidChange(() => (this.languageTable = undefined));
  }

  /** VS Code's language id. Depends on the file name if the file is not loaded; defaults to `plaintext`. */
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
