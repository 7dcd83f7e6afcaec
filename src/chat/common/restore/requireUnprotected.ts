import { EditorError, isEditorError, type EditorPort } from '../../../editor/common/editorPort';

/** Refuses to restore a protected file without the user’s consent. @throws EditorError `protected` */
export async function requireUnprotected(editor: Pick<EditorPort, 'protectionOf'>, path: string): Promise<void> {
  const protection = await editor
    .protectionOf(path, { before: undefined, after: undefined })
    .catch((error: unknown) => {
      // The symbolic link leads outside the workspace. The link itself is replaced.
      if (isEditorError(error) && error.code === 'outsideWorkspace') return undefined;
      throw error;
    });
  if (protection) {
    throw new EditorError('protected', `${path} is protected: ${protection.reason}. Restore it manually.`);
  }
}
