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
 * Returns what a failed write has done to its file. A write can fail after a formatter has changed its text and VS Code has
 * saved that, so only a file that is as before is known to be unwritten, and one that was not written because others had.
 */
export function effectOfFailure({ before, error, left, planned }: FailedWrite): 'written' | 'nothing' | 'unknown' {
  if (isEditorError(error) && error.code === 'staleVersion') return 'nothing';
  if (left === undefined) return 'unknown';
  if (left === planned) return 'written';
  return left === before ? 'nothing' : 'unknown';
}
