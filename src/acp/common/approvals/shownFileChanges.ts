import type { ToolContent } from '../../../session/common/sessionEvents';
import type { ToolFileChange } from '../../../session/common/toolCaller';

/** Limits for the changes shown in one approval: number of files, and length of their texts in UTF-16 units. */
const maxShownFiles = 20;
const maxShownLength = 1_000_000;

/** Returns the first changes, within limits that keep an approval readable and its event small. */
export function shownFileChanges(files: readonly ToolFileChange[]): ToolContent[] {
  let length = 0;
  return files
    .slice(0, maxShownFiles)
    .filter(({ before, after }, index) => {
      length += (before?.length ?? 0) + after.length;
      return index === 0 || length <= maxShownLength;
    })
    .map(({ path, before, after }) => ({ type: 'diff', path, old_text: before, new_text: after }));
}
