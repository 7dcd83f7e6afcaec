import * as vscode from 'vscode';
import { hunksBetween, type Hunk } from '../../common/review/hunks';
import type { FileHunks, ReviewSource } from '../../common/review/reviewSource';

/** Several views ask for the same hunks after each change, and at each change that the cursor reaches. */
const lastByDocument = new WeakMap<vscode.TextDocument, FileHunks>();

/** Returns undefined for a file without changes to review. */
export async function hunksOf(
  source: Pick<ReviewSource, 'baseline' | 'paths'>,
  document: vscode.TextDocument,
): Promise<FileHunks | undefined> {
  const path = document.uri.fsPath;
  if (document.uri.scheme !== 'file' || !source.paths.includes(path)) return undefined;
  const baseline = await source.baseline(path);
  if (baseline === undefined) return undefined;
  const seen = { baseline: baseline ?? '', text: document.getText() };
  const last = lastByDocument.get(document);
  if (last?.seen.baseline === seen.baseline && last.seen.text === seen.text) return last;
  const file = { path, seen, hunks: hunksBetween(seen.baseline, seen.text) };
  lastByDocument.set(document, file);
  return file;
}

/**
 * Finds the hunk at a 0-based line of one side. A hunk without lines on that side belongs to the following line, and to the line
 * before if no other hunk does.
 */
export function findHunkAtLine(hunks: readonly Hunk[], line: number, side: keyof Hunk = 'after'): Hunk | undefined {
  return (
    hunks.find(({ [side]: { end, start } }) => line >= start && line < Math.max(end, start + 1)) ??
    hunks.find(({ [side]: { end, start } }) => start === end && line === start - 1)
  );
}

/** Returns the range of a hunk in the file. */
export function rangeOfHunk({ after }: Hunk, document: vscode.TextDocument): vscode.Range {
  const last = Math.max(after.start, after.end - 1);
  return document.validateRange(new vscode.Range(after.start, 0, last, Number.MAX_SAFE_INTEGER));
}

export async function existsOnDisk(uri: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
