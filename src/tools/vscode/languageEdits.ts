import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { messageOf } from '../../base/common/errors';
import type { Range } from '../../editor/common/editorPort';
import { LanguageQueryRunner } from '../common/calls/languageQueryRunner';
import type { LanguageEditPort, ProposedAction, ProposedEdits } from '../common/languageEditPort';
import type { FilePosition } from '../common/languagePort';
import { ToolError } from '../common/toolError';
import { filePathOf, toPosition, toRange, toVsCodeRange } from './languageValues';

/** Time limit for an answer. A language server can take long to find all uses in a large workspace. */
const answerTimeoutMs = 60_000;
/** Number of code actions whose edits VS Code resolves. */
const maxResolvedActions = 60;

type Edits = readonly vscode.TextEdit[] | undefined;

export class LanguageEdits implements LanguageEditPort {
  private readonly queryRunner: LanguageQueryRunner;

  constructor(clock: Clock) {
    this.queryRunner = new LanguageQueryRunner(clock, answerTimeoutMs);
  }

  async renameEdits(
    { path, position }: FilePosition,
    newName: string,
    signal: AbortSignal,
  ): Promise<readonly ProposedEdits[]> {
    const at = toPosition(position);
    const edit = await this.query(`rename ${at.line}:${at.character} ${newName} ${path}`, path, signal, async (uri) => {
      try {
        return await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>(
          'vscode.executeDocumentRenameProvider',
          uri,
          at,
          newName,
        );
      } catch (error) {
        throw new ToolError(`VS Code does not rename this: ${messageOf(error)}`);
      }
    });
    return edit ? toProposedEdits(edit) : [];
  }

  async formatEdits(path: string, range: Range | undefined, signal: AbortSignal): Promise<readonly ProposedEdits[]> {
    const key = `format ${JSON.stringify(range)} ${path}`;
    const edits = await this.query(key, path, signal, async (uri): Promise<Edits> => {
      const options = formattingOptions(uri);
      return range
        ? await vscode.commands.executeCommand('vscode.executeFormatRangeProvider', uri, toVsCodeRange(range), options)
        : await vscode.commands.executeCommand('vscode.executeFormatDocumentProvider', uri, options);
    });
    return edits ? [{ path, edits: edits.map(toEdit) }] : [];
  }

  async codeActions(path: string, range: Range, signal: AbortSignal): Promise<readonly ProposedAction[]> {
    const key = `actions ${JSON.stringify(range)} ${path}`;
    const found = await this.query(key, path, signal, async (uri) =>
      vscode.commands.executeCommand<readonly (vscode.CodeAction | vscode.Command)[] | undefined>(
        'vscode.executeCodeActionProvider',
        uri,
        toVsCodeRange(range),
        undefined,
        maxResolvedActions,
      ),
    );
    return (found ?? []).map((action): ProposedAction => {
      if (!(action instanceof vscode.CodeAction))
        return { title: action.title, kind: '', isPreferred: false, edits: undefined };
      const { disabled, edit, isPreferred = false, kind, title } = action;
      return {
        title,
        kind: kind?.value ?? '',
        isPreferred,
        disabledReason: disabled?.reason,
        edits: edit && toProposedEdits(edit),
      };
    });
  }

  private async query<T>(
    key: string,
    path: string,
    signal: AbortSignal,
    ask: (uri: vscode.Uri) => Promise<T> | Thenable<T>,
  ): Promise<T> {
    const askAbout = async (): Promise<T> => {
      const { uri } = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
      return await ask(uri);
    };
    return await this.queryRunner.runQuery({ key, group: path, ask: askAbout }, signal);
  }
}

/** The formatting options of the editor that shows the file, or else of the settings. */
function formattingOptions(uri: vscode.Uri): vscode.FormattingOptions {
  const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
  const settings = vscode.workspace.getConfiguration('editor', uri);
  const { insertSpaces = settings.get('insertSpaces', true), tabSize = settings.get('tabSize', 4) } =
    shown?.options ?? {};
  return { insertSpaces: insertSpaces !== false, tabSize: typeof tabSize === 'number' ? tabSize : 4 };
}

function toProposedEdits(edit: vscode.WorkspaceEdit): readonly ProposedEdits[] {
  return edit.entries().map(([uri, edits]) => ({ path: filePathOf(uri), edits: edits.map(toEdit) }));
}

function toEdit({ newText, range }: vscode.TextEdit): ProposedEdits['edits'][number] {
  return { range: toRange(range), newText };
}
