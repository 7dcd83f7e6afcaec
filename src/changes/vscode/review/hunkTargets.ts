import * as vscode from 'vscode';
import * as z from 'zod';
import { isRecord } from '../../../base/common/isRecord';
import { textSchemes } from '../../../manifest';
import type { Hunk } from '../../common/review/hunks';
import { splitLines } from '../../common/review/lines';
import type { FileHunks, ReviewSource, TextsShownToUser } from '../../common/review/reviewSource';
import { findHunkAtLine, hunksOf, rangeOfHunk } from './fileHunks';

/** A change as VS Code's quick diff passes it. Lines are 1-based, the end is included. End 0: an empty range. */
const LineChange = z.object({
  originalStartLineNumber: z.number(),
  originalEndLineNumber: z.number(),
  modifiedStartLineNumber: z.number(),
  modifiedEndLineNumber: z.number(),
});

const Lines = z.object({ start: z.number(), end: z.number() });
const HunkOfLens = z.object({ before: Lines, after: Lines });

/**
 * Finds the hunk for the arguments of a command. The inline diff passes file, changes and index; a CodeLens passes
 * file and hunk. Without arguments, uses the cursor.
 */
export async function findHunk(
  source: Pick<ReviewSource, 'baseline' | 'paths'>,
  [uri, at, index]: readonly unknown[],
): Promise<{ file: FileHunks; hunk: Hunk }> {
  const active = vscode.window.activeTextEditor;
  const clicked = uri instanceof vscode.Uri ? uri : active?.document.uri;
  const document = clicked && (await openDocument(clicked));
  const file = document && (await hunksOf(source, document));
  if (!file) throw new Error('There are no agent changes in this file.');
  const given = HunkOfLens.safeParse(at).data;
  if (given) return { file, hunk: required(file.hunks.find((hunk) => isSameHunk(hunk, given))) };
  if (Array.isArray(at)) {
    const hunk = hunkOfChange(LineChange.parse(at[typeof index === 'number' ? index : 0]));
    return { file, hunk: required(isBetweenSameLines(hunk, file.seen) ? hunk : undefined) };
  }
  const isBaseline = clicked.scheme === textSchemes.baseline;
  const line = active?.selection.active.line ?? 0;
  const hunk = findHunkAtLine(file.hunks, line, isBaseline ? 'before' : 'after');
  if (!hunk) throw new Error('There is no agent change at the cursor.');
  return { file, hunk };
}

/** Returns undefined if the file no longer exists. */
export async function showFile(path: string): Promise<vscode.TextEditor | undefined> {
  try {
    return await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true });
  } catch {
    return undefined;
  }
}

/** Opens a file. For a baseline document, opens its file. @throws Error */
async function openDocument(uri: vscode.Uri): Promise<vscode.TextDocument> {
  const isBaseline = uri.scheme === textSchemes.baseline;
  try {
    return await vscode.workspace.openTextDocument(isBaseline ? vscode.Uri.file(uri.fsPath) : uri);
  } catch (error) {
    throw new Error('The file can’t be opened. Undo its changes in the Source Control view.', { cause: error });
  }
}

function isSameHunk(one: Hunk, other: Hunk): boolean {
  const isSame = (side: 'before' | 'after'): boolean =>
    one[side].start === other[side].start && one[side].end === other[side].end;
  return isSame('before') && isSame('after');
}

/** @throws Error if there is no hunk, because the file has changed since the user saw it */
function required(hunk: Hunk | undefined): Hunk {
  if (!hunk) throw new Error('The file has changed in the meantime. Try again.');
  return hunk;
}

/** Whether the lines around the hunk are equal in both texts. Otherwise they have changed since it was computed. */
function isBetweenSameLines({ after, before }: Hunk, { baseline, text }: TextsShownToUser): boolean {
  const [old, current] = [splitLines(baseline), splitLines(text)];
  const isSame = (one: number, other: number): boolean => old[one]?.trim() === current[other]?.trim();
  return isSame(before.start - 1, after.start - 1) && isSame(before.end, after.end);
}

/** Converts a change to a hunk. For an empty range, VS Code passes the preceding line. */
function hunkOfChange(change: z.infer<typeof LineChange>): Hunk {
  const range = (start: number, end: number): Hunk['before'] =>
    end === 0 ? { start, end: start } : { start: start - 1, end };
  return {
    before: range(change.originalStartLineNumber, change.originalEndLineNumber),
    after: range(change.modifiedStartLineNumber, change.modifiedEndLineNumber),
  };
}

/**
 * Returns the absolute path of the file for a command. The argument is a URI (editor title) or a resource (Source Control view).
 * Without it, uses the active editor. @throws Error
 */
export function pathOf(target: unknown): string {
  const resource = isRecord(target) && !(target instanceof vscode.Uri) ? target['resourceUri'] : target;
  const uri = resource instanceof vscode.Uri ? resource : vscode.window.activeTextEditor?.document.uri;
  if (!uri) throw new Error('Open a file with agent changes first.');
  return uri.fsPath;
}

export function reveal(editor: vscode.TextEditor, hunk: Hunk): void {
  const range = rangeOfHunk(hunk, editor.document);
  editor.selection = new vscode.Selection(range.start, range.start);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
