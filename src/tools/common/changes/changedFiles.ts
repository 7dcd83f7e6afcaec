import type { TextFile } from '../../../editor/common/editorPort';
import { displayPath } from '../text/displayPath';
import type { ToolPorts } from '../toolPorts';

const maxListedFiles = 50;

/** Lists changed files for a model, and which of them are not saved. */
export function listChangedFiles(
  changed: readonly { readonly file: TextFile; readonly editCount: number }[],
  { editor }: Pick<ToolPorts, 'editor'>,
): string[] {
  const rows = changed
    .slice(0, maxListedFiles)
    .map(
      ({ editCount, file }) => `  ${displayPath(file.path, editor)} (${editCount}${file.isDirty ? ', not saved' : ''})`,
    );
  const remaining = changed.length - rows.length;
  const unsaved = changed.filter(({ file }) => file.isDirty).length;
  return [
    ...rows,
    ...(remaining > 0 ? [`  … ${remaining} more`] : []),
    ...(unsaved > 0 ? ['Files that are not saved had unsaved changes of the user, or could not be saved.'] : []),
  ];
}
