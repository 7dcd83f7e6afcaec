import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/common/disposable';
import { commandIds } from '../../../manifest';
import type { Hunk } from '../../common/review/hunks';
import type { ReviewedMarks } from '../../common/review/reviewedMarks';
import type { FileHunks, ReviewSource } from '../../common/review/reviewSource';
import { findHunkAtLine, hunksOf, rangeOfHunk } from './fileHunks';

/**
 * Shows Keep, Undo, Mark as Reviewed, Next and Side Question above the change at the cursor, or above all if
 * `backline.review.codeLens` is on.
 */
export class HunkLenses implements vscode.CodeLensProvider {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.changeEmitter.event;
  /** What was provided last for the file at the cursor. */
  private provided: { readonly uri: string; readonly file: FileHunks; readonly atCursor: Hunk | undefined } | undefined;

  constructor(
    private readonly reviewSource: ReviewSource,
    private readonly showsAll: () => boolean,
    private readonly marks: Pick<ReviewedMarks, 'ofHunks'>,
  ) {
    this.disposables.add(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        const { provided } = this;
        const isProvided = provided?.uri === textEditor.document.uri.toString();
        if (isProvided && provided.atCursor !== hunkAtCursor(textEditor, provided.file)) this.refreshAtCursor();
      }),
    );
    this.disposables.add(vscode.window.onDidChangeActiveTextEditor(() => this.refreshAtCursor()));
  }

  refresh(): void {
    this.changeEmitter.fire();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const file = await hunksOf(this.reviewSource, document);
    const active = vscode.window.activeTextEditor;
    const editor = active?.document === document ? active : undefined;
    const atCursor = editor && file && hunkAtCursor(editor, file);
    if (editor) this.provided = file && { uri: document.uri.toString(), file, atCursor };
    if (!file) return [];
    const showsAll = this.showsAll();
    const reviewed = await this.marks.ofHunks(file);
    return file.hunks.flatMap((hunk, index) => {
      if (!showsAll && hunk !== atCursor) return [];
      const range = rangeOfHunk(hunk, document);
      const target = [document.uri, hunk];
      const position = `${index + 1} of ${file.hunks.length}`;
      return [
        new vscode.CodeLens(range, { title: 'Keep', command: commandIds.reviewKeepHunk, arguments: target }),
        new vscode.CodeLens(range, { title: 'Undo', command: commandIds.reviewUndoHunk, arguments: target }),
        new vscode.CodeLens(range, { ...markOf(reviewed[index] === true), arguments: target }),
        new vscode.CodeLens(range, { title: `Next (${position})`, command: commandIds.reviewNext }),
        new vscode.CodeLens(range, {
          title: 'Side Question',
          command: commandIds.reviewAskAboutHunk,
          arguments: target,
          tooltip: 'Ask about this change, beside the conversation',
        }),
      ];
    });
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** For each refresh, VS Code asks all extensions for the lenses of all visible editors. */
  private refreshAtCursor(): void {
    if (this.reviewSource.paths.length > 0 && !this.showsAll()) this.refresh();
  }
}

function markOf(isReviewed: boolean): vscode.Command {
  return isReviewed
    ? { title: 'Mark as Not Reviewed', command: commandIds.reviewUnmarkHunk }
    : { title: 'Mark as Reviewed', command: commandIds.reviewMarkHunk };
}

function hunkAtCursor({ selection }: vscode.TextEditor, { hunks }: FileHunks): Hunk | undefined {
  return findHunkAtLine(hunks, selection.active.line);
}
