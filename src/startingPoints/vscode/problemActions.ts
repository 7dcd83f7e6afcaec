import * as vscode from 'vscode';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds } from '../../manifest';

/** What is passed to the commands. */
type ProblemArguments = readonly [uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[], picksAgent?: boolean];

/** Offers an agent in the lightbulb, in hovers and in the Problems panel, for files that agents may read. */
export class ProblemActions implements vscode.CodeActionProvider {
  constructor(private readonly editor: Pick<EditorPort, 'resolve'>) {}

  async provideCodeActions(
    { uri }: vscode.TextDocument,
    _range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): Promise<vscode.CodeAction[]> {
    if (diagnostics.length === 0) return [];
    const isReadable = await this.editor.resolve(uri.fsPath).then(
      () => true,
      () => false,
    );
    if (!isReadable) return [];
    const action = (title: string, command: string, ...args: ProblemArguments): vscode.CodeAction => {
      const created = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      created.command = { title, command, arguments: [...args] };
      created.diagnostics = [...diagnostics];
      return created;
    };
    const { startingPointsFixProblem: fix, startingPointsExplainProblem: explain } = commandIds;
    const all = fixableProblems(uri);
    return [
      action('Fix with Agent', fix, uri, diagnostics),
      action('Explain with Agent', explain, uri, diagnostics),
      ...(all.length > 1
        ? [action('Fix All Problems of This File with Agent', commandIds.startingPointsFixFile, uri, all)]
        : []),
      action('Fix with Another Agent…', fix, uri, diagnostics, true),
    ];
  }
}

/** Returns the problems of a file, without hints. */
export function fixableProblems(uri: vscode.Uri): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(uri).filter(({ severity }) => severity !== vscode.DiagnosticSeverity.Hint);
}
