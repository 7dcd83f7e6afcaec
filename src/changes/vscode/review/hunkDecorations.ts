import * as vscode from 'vscode';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { commandIds } from '../../../manifest';
import { commandLink } from '../../../platform/common/commandLink';
import type { Hunk } from '../../common/review/hunks';
import { splitLines } from '../../common/review/lines';
import { removedLines, type RemovedLines } from '../../common/review/removedLines';
import type { ReviewedMarks } from '../../common/review/reviewedMarks';
import type { FileHunks, ReviewSource } from '../../common/review/reviewSource';
import { hunksOf, rangeOfHunk } from './fileHunks';

/** Tints the changed lines in the editors unless they are reviewed, says how many were removed, and shows them in a hover with Keep and Undo. */
export class HunkDecorations implements Disposable {
  private readonly changed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('diffEditor.insertedLineBackground'),
    // As in diff editors: only themes with high contrast have this color, and they have no background.
    borderColor: new vscode.ThemeColor('diffEditor.insertedTextBorder'),
    borderStyle: 'dashed',
    borderWidth: '1px',
  });
  private readonly beside = vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 2em' },
  });
  /** Editors that have decorations. */
  private readonly decorated = new WeakSet<vscode.TextEditor>();

  constructor(
    private readonly source: Pick<ReviewSource, 'baseline' | 'paths'>,
    private readonly marks: Pick<ReviewedMarks, 'ofHunks'>,
    private readonly log: Pick<Logger, 'error'>,
  ) {}

  /** Decorates all editors that are shown, but no sides of diff editors, which have colours of their own. Never rejects. */
  async update(): Promise<void> {
    try {
      const editors = vscode.window.visibleTextEditors.filter(({ viewColumn }) => viewColumn !== undefined);
      await Promise.all(editors.map((editor) => this.decorate(editor)));
    } catch (error) {
      this.log.error('the changes of agents could not be marked in the editor', error);
    }
  }

  dispose(): void {
    this.changed.dispose();
    this.beside.dispose();
  }

  private async decorate(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    const file = await hunksOf(this.source, document);
    const reviewed = file ? await this.marks.ofHunks(file) : [];
    // The text was edited in the meantime, so the editor is decorated again soon.
    if (file && file.seen.text !== document.getText()) return;
    if (file && file.hunks.length > 0) this.decorated.add(editor);
    else if (!this.decorated.delete(editor)) return;
    const { beside, changed } = decorationsOf(document, file, reviewed);
    editor.setDecorations(this.changed, changed);
    editor.setDecorations(this.beside, beside);
  }
}

interface Decorations {
  /** Of lines that were added or replaced, and are not reviewed. */
  readonly changed: vscode.DecorationOptions[];
  /** What stands beside changes: how many lines were removed, and whether the change is reviewed. */
  readonly beside: vscode.DecorationOptions[];
}

function decorationsOf(
  document: vscode.TextDocument,
  file: FileHunks | undefined,
  reviewed: readonly boolean[],
): Decorations {
  const decorations: Decorations = { changed: [], beside: [] };
  if (!file) return decorations;
  const baseline = splitLines(file.seen.baseline);
  for (const [index, hunk] of file.hunks.entries()) {
    const removed = removedLines(hunk, baseline);
    const isReviewed = reviewed[index] === true;
    const hoverMessage = hoverOf(document, hunk, removed, isReviewed);
    const isGone = hunk.after.end === hunk.after.start;
    const isTinted = !isGone && !isReviewed;
    if (isTinted) decorations.changed.push({ range: rangeOfHunk(hunk, document), hoverMessage });
    const notes = [
      ...(removed ? [`−${countWithNoun(removed.count, 'line')}`] : []),
      ...(isReviewed ? ['reviewed'] : []),
    ];
    if (notes.length === 0) continue;
    decorations.beside.push({
      range: isGone || isTinted ? endOfMarkedLine(document, hunk, isGone) : rangeOfFirstLine(document, hunk),
      // The tinted lines have the same hover.
      ...(!isTinted && { hoverMessage }),
      renderOptions: { after: { contentText: notes.join(' · ') } },
    });
  }
  return decorations;
}

/** Of the first line of the change; of the line before it if all its lines are gone. */
function endOfMarkedLine(document: vscode.TextDocument, { after }: Hunk, isGone: boolean): vscode.Range {
  const line = document.validatePosition(new vscode.Position(Math.max(0, after.start - (isGone ? 1 : 0)), 0)).line;
  const { end } = document.lineAt(line).range;
  return new vscode.Range(end, end);
}

function rangeOfFirstLine(document: vscode.TextDocument, { after }: Hunk): vscode.Range {
  return document.validateRange(new vscode.Range(after.start, 0, after.start, Number.MAX_SAFE_INTEGER));
}

function hoverOf(
  { languageId, uri }: vscode.TextDocument,
  hunk: Hunk,
  removed: RemovedLines | undefined,
  isReviewed: boolean,
): vscode.MarkdownString {
  const { reviewKeepHunk, reviewMarkHunk, reviewUndoHunk, reviewUnmarkHunk } = commandIds;
  const link = (title: string, id: string): string => commandLink(title, id, [uri.toJSON(), hunk]);
  const mark = isReviewed ? link('Mark as Not Reviewed', reviewUnmarkHunk) : link('Mark as Reviewed', reviewMarkHunk);
  const links = [link('Keep', reviewKeepHunk), link('Undo', reviewUndoHunk), mark];
  const hover = new vscode.MarkdownString(links.join(' · '));
  hover.isTrusted = { enabledCommands: [reviewKeepHunk, reviewUndoHunk, reviewMarkHunk, reviewUnmarkHunk] };
  if (!removed) return hover;
  hover.appendMarkdown('\n\nBefore the agent’s change:\n');
  hover.appendCodeblock(removed.text, languageId);
  if (removed.more > 0) hover.appendMarkdown(`… and ${countWithNoun(removed.more, 'more line')}`);
  return hover;
}
