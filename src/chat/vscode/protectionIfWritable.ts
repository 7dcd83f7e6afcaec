import { isEditorError, type EditorPort } from '../../editor/common/editorPort';
import type { TextBeforeAndAfter, Protection } from '../../editor/common/protection/protection';

/** Like `EditorPort.protectionOf`, but undefined for a file that cannot be written, because writing it reports why. */
export async function protectionIfWritable(
  editor: Pick<EditorPort, 'protectionOf'>,
  path: string,
  change?: TextBeforeAndAfter,
): Promise<Protection | undefined> {
  try {
    return await editor.protectionOf(path, change);
  } catch (error) {
    if (isEditorError(error)) return undefined;
    throw error;
  }
}
