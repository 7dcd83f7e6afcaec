import * as vscode from 'vscode';
import { EditorError, type EditorPort, type WriteOptions } from '../../../editor/common/editorPort';

/**
 * Takes a file of the workspace away so that the user can undo it.
 * @throws EditorError `untrusted`, `editRejected`, `protected` without the user's word for a protected file, …
 */
export async function deleteFile(
  editor: Pick<EditorPort, 'resolve' | 'protectionOf'>,
  path: string,
  { protectedFiles }: Pick<WriteOptions, 'protectedFiles'>,
): Promise<void> {
  const resolved = await editor.resolve(path);
  if (!vscode.workspace.isTrusted) {
    throw new EditorError('untrusted', `${path} is not deleted in a workspace that you do not trust.`);
  }
  const protection = await editor.protectionOf(resolved, { before: undefined, after: undefined });
  if (protection && protectedFiles !== 'allow') {
    throw new EditorError('protected', `${path} is protected: ${protection.reason}. Delete it yourself.`);
  }
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(vscode.Uri.file(resolved), { ignoreIfNotExists: true });
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new EditorError('editRejected', `VS Code did not delete ${path}. Close its editors and try again.`);
  }
}
