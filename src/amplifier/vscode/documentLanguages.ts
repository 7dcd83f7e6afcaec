import * as vscode from 'vscode';
import type { Disposable } from '../../base/common/disposable';
import { LanguageTable } from '../common/context/languageTable';

/** Which language a file is in, whether or not VS Code has loaded it. */
export class DocumentLanguages implements Disposable {
  private table: LanguageTable | undefined;
  private listener: Disposable | undefined;

  start(): void {
    this.listener = vscode.extensions.onDidChange(() => (this.table = undefined));
  }

  /** VS Code's id; by the file's name when it is not loaded, and `plaintext` when that says nothing. */
  of(path: string): string {
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === path);
    if (document) return document.languageId;
    this.table ??= new LanguageTable(vscode.extensions.all.map(({ packageJSON }): unknown => packageJSON));
    return this.table.languageOf(path) ?? 'plaintext';
  }

  dispose(): void {
    this.listener?.dispose();
  }
}
