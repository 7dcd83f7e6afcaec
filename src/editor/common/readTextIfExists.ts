import { isEditorError, type EditorPort, type TextFile } from './editorPort';

/** Returns undefined if the file does not exist. @throws EditorError */
export async function readTextIfExists(
  editor: Pick<EditorPort, 'readText'>,
  path: string,
  signal?: AbortSignal,
): Promise<TextFile | undefined> {
  try {
    return await editor.readText(path, signal ? { signal } : {});
  } catch (error) {
    if (isEditorError(error) && error.code === 'notFound') return undefined;
    throw error;
  }
}
