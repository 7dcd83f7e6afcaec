import * as vscode from 'vscode';
import { EditorError, type EditorPort, type WriteOptions } from '../../../editor/common/editorPort';

/**
 * Deletes a file of the workspace. The user can’t undo this in VS Code’s Explorer.
 * @throws EditorError, for example `untrusted`, `editRejected`, or `protected` without the user's consent
 */
export async function deleteFile(
  editor: Pick<EditorPort, 'resolve' | 'protectionOf'>,
  path: string,
  { protectedFiles }: Pick<WriteOptions, 'protectedFiles'>,
): Promise<void> {
  const resolved = await editor.resolve(path);
  if (!vscode.workspace.isTrusted) {
    throw new EditorError('untrusted', `${path} cannot be deleted because you do not trust this workspace.`);
  }
  const protection = await editor.protectionOf(resolved, { before: undefined, after: undefined });
  if (protection && protectedFiles !== 'allow') {
    throw new EditorError('protected', `${path} is protected: ${protection.reason}. Delete it manually.`);
  }
  const open = vscode.workspace.textDocuments.find(({ isDirty, uri }) => isDirty && uri.fsPath === resolved);
  // VS Code discards unsaved text when it deletes the file. The text on disk can be restored.
  if (open && !(await open.save())) {
    throw new EditorError('saveFailed', `${path} has unsaved text that could not be saved, so it was not deleted.`);
  }
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(vscode.Uri.file(resolved), { ignoreIfNotExists: true });
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new EditorError('editRejected', `VS Code could not delete ${path}. Close its editors and try again.`);
  }
}
