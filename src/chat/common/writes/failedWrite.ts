import { isEditorError } from '../../../editor/common/editorPort';
import type { FileTextId } from '../changes/fileTexts';

interface FailedWrite {
  readonly error: unknown;
  /** What the file was to have. */
  readonly planned: FileTextId;
  /** What it had on disk before, and has after the failure. Undefined if that is unknown. */
  readonly before: FileTextId;
  readonly left: FileTextId;
}

/**
 * Returns what a failed write has done to its file. A write can fail after VS Code has saved what a formatter made of the text.
 * So it is certain that nothing was written only if the file is as before, or if the write was refused because others had
 * changed the file.
 */
export function effectOfFailure({ before, error, left, planned }: FailedWrite): 'written' | 'nothing' | 'unknown' {
  if (isEditorError(error) && error.code === 'staleVersion') return 'nothing';
  if (left === undefined) return 'unknown';
  if (left === planned) return 'written';
  return left === before ? 'nothing' : 'unknown';
}
