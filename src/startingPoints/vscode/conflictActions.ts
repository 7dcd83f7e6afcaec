import * as vscode from 'vscode';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds } from '../../manifest';
import { findConflicts, type Conflict } from '../common/conflictPoint';

/** Offers an agent above each merge conflict, and in the lightbulb in it, for files that agents may read. */
export class ConflictActions implements vscode.CodeLensProvider, vscode.CodeActionProvider {
  constructor(private readonly editor: Pick<EditorPort, 'resolve'>) {}

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const conflicts = await this.conflictsIn(document);
    return conflicts.map(({ first }) => {
      const command = { ...commandFor(document.uri, first), title: 'Resolve with Agent' };
      return new vscode.CodeLens(new vscode.Range(first, 0, first, 0), command);
    });
  }

  async provideCodeActions(document: vscode.TextDocument, range: vscode.Range): Promise<vscode.CodeAction[]> {
    const conflicts = await this.conflictsIn(document);
    const found = conflicts.find(({ first, last }) => first <= range.end.line && range.start.line <= last);
    if (!found) return [];
    const actionFor = (title: string, picksAgent: boolean): vscode.CodeAction => {
      const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      action.command = commandFor(document.uri, found.first, picksAgent);
      return action;
    };
    return [actionFor('Resolve Conflict with Agent', false), actionFor('Resolve Conflict with Another Agent…', true)];
  }

  private async conflictsIn(document: vscode.TextDocument): Promise<Conflict[]> {
    const conflicts = findConflicts(document.getText());
    if (conflicts.length === 0) return [];
    return await this.editor.resolve(document.uri.fsPath).then(
      () => conflicts,
      () => [],
    );
  }
}

function commandFor(uri: vscode.Uri, line: number, picksAgent = false): vscode.Command {
  return {
    title: 'Resolve Conflict with Agent',
    command: commandIds.startingPointsResolveConflict,
    arguments: [uri, line, picksAgent],
  };
}
