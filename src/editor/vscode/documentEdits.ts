import * as vscode from 'vscode';
import type { OffsetEdit } from '../common/text/textEdits';

export interface DocumentEdits {
  readonly document: vscode.TextDocument;
  /** Sorted by position, without overlaps. */
  readonly edits: readonly OffsetEdit[];
}

/**
 * Applies edits as one undo step. Adds metadata, so that VS Code applies the edits unchanged: in the active editor, VS
 * Code reduces plain edits to the UTF-16 units that differ, which corrupts characters with a common surrogate (😀 to
 * 😁). After a refactoring, VS Code saves all its files if `files.refactoring.autoSave` is set. That is faster than
 * saving them here, and VS Code opens an editor for each file that stays dirty for 0.8 s.
 */
export async function applyWorkspaceEdit(changes: readonly DocumentEdits[], isRefactoring: boolean): Promise<boolean> {
  const metadata: vscode.WorkspaceEditEntryMetadata = { needsConfirmation: false, label: 'Edit by an agent' };
  const change = new vscode.WorkspaceEdit();
  for (const { document, edits } of changes) {
    change.set(
      document.uri,
      edits.map(({ start, end, newText }): [vscode.TextEdit, vscode.WorkspaceEditEntryMetadata] => {
        const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
        return [new vscode.TextEdit(range, newText), metadata];
      }),
    );
  }
  return await vscode.workspace.applyEdit(change, { isRefactoring });
}
