import * as vscode from 'vscode';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import { countWithNoun } from '../../../base/common/countWithNoun';
import { commandIds } from '../../../manifest';
import { commandLink } from '../../../platform/common/commandLink';
import type { Hunk } from '../../common/review/hunks';
import { removedLines } from '../../common/review/removedLines';
import type { ReviewSource } from '../../common/review/reviewSource';
import { hunksOf, rangeOfHunk, type FileHunks } from './fileHunks';

/** Tints the changed lines in the editors, says how many were removed, and shows them in a hover with Keep and Undo. */
export class HunkDecorations implements Disposable {
  private readonly changed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('diffEditor.insertedLineBackground'),
  });
  private readonly removed = vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 2em' },
  });
  /** Editors that have decorations. */
  private decorated = new Set<vscode.TextEditor>();

  constructor(
    private readonly source: Pick<ReviewSource, 'baseline' | 'paths'>,
    private readonly log: Pick<Logger, 'error'>,
  ) {}

  /** Decorates all editors that are shown, but no sides of diff editors, which have colours of their own. Never rejects. */
  async update(): Promise<void> {
    try {
      const editors = vscode.window.visibleTextEditors.filter(({ viewColumn }) => viewColumn !== undefined);
      this.decorated = new Set(editors.filter((editor) => this.decorated.has(editor)));
      await Promise.all(editors.map((editor) => this.decorate(editor)));
    } catch (error) {
      this.log.error('the changes of agents could not be marked in the editor', error);
    }
  }

  dispose(): void {
    this.changed.dispose();
    this.removed.dispose();
  }

  private async decorate(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    const file = await hunksOf(this.source, document);
    // It is updated again after an edit.
    if (file && file.seen.text !== document.getText()) return;
    const hunks = file?.hunks ?? [];
    if (hunks.length === 0 && !this.decorated.has(editor)) return;
    this.decorated.add(editor);
    editor.setDecorations(
      this.changed,
      file
        ? hunks.filter(({ after }) => after.end > after.start).map((hunk) => decorationOf(document, file, hunk))
        : [],
    );
    editor.setDecorations(this.removed, file ? hunks.flatMap((hunk) => removedDecorationOf(document, file, hunk)) : []);
  }
}

function decorationOf(document: vscode.TextDocument, file: FileHunks, hunk: Hunk): vscode.DecorationOptions {
  return { range: rangeOfHunk(hunk, document), hoverMessage: hoverOf(document, file, hunk) };
}

/** Stands at the end of the first line of the change; for lines that are gone, of the line before. */
function removedDecorationOf(document: vscode.TextDocument, file: FileHunks, hunk: Hunk): vscode.DecorationOptions[] {
  const removed = removedLines(hunk, file.seen.baseline);
  if (!removed) return [];
  const isGone = hunk.after.end === hunk.after.start;
  const line = document.validatePosition(new vscode.Position(Math.max(0, hunk.after.start - (isGone ? 1 : 0)), 0)).line;
  const { end } = document.lineAt(line).range;
  return [
    {
      range: new vscode.Range(end, end),
      // The changed lines have the same hover.
      ...(isGone && { hoverMessage: hoverOf(document, file, hunk) }),
      renderOptions: { after: { contentText: `−${countWithNoun(removed.count, 'line')}` } },
    },
  ];
}

function hoverOf({ languageId, uri }: vscode.TextDocument, { seen }: FileHunks, hunk: Hunk): vscode.MarkdownString {
  const { reviewKeepHunk, reviewUndoHunk } = commandIds;
  const link = (title: string, id: string): string => commandLink(title, id, [uri.toJSON(), hunk]);
  const hover = new vscode.MarkdownString(`${link('Keep', reviewKeepHunk)} · ${link('Undo', reviewUndoHunk)}`);
  hover.isTrusted = { enabledCommands: [reviewKeepHunk, reviewUndoHunk] };
  const removed = removedLines(hunk, seen.baseline);
  if (!removed) return hover;
  hover.appendMarkdown('\n\nBefore the agent’s change:\n');
  hover.appendCodeblock(removed.text, languageId);
  if (removed.more > 0) hover.appendMarkdown(`… and ${countWithNoun(removed.more, 'more line')}`);
  return hover;
}
