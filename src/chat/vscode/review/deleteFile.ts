import { rmdir } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { innermostFolder, relativePathIn } from '../../../editor/common/boundary';
import { EditorError, type EditorPort, type WriteOptions } from '../../../editor/common/editorPort';

/**
 * Deletes a file of the workspace and its folders that are empty without it, as a restore does. The user can’t undo this in VS Code’s
 * Explorer.
 * @throws EditorError, for example `untrusted`, `editRejected`, `dirty` for unsaved changes of a notebook or custom editor, or
 *   `protected` without the user's consent
 */
export async function deleteFile(
  editor: Pick<EditorPort, 'folders' | 'resolve' | 'protectionOf' | 'stat'>,
  file: string,
  { protectedFiles }: Pick<WriteOptions, 'protectedFiles'>,
): Promise<void> {
  const resolved = await editor.resolve(file);
  if (!vscode.workspace.isTrusted) {
    throw new EditorError('untrusted', `${file} cannot be deleted because you do not trust this workspace.`);
  }
  const protection = await editor.protectionOf(resolved, { before: undefined, after: undefined });
  if (protection && protectedFiles !== 'allow') {
    throw new EditorError('protected', `${file} is protected: ${protection.reason}. Delete it manually.`);
  }
  const open = vscode.workspace.textDocuments.find(
    ({ isDirty, uri }) => isDirty && uri.scheme === 'file' && uri.fsPath === resolved,
  );
  // VS Code discards unsaved text when it deletes the file. The text on disk can be restored.
  if (open && !(await open.save())) {
    throw new EditorError('saveFailed', `${file} has unsaved text that could not be saved, so it was not deleted.`);
  }
  // Its caller has not seen what a notebook or a custom editor would save now.
  if ((await editor.stat(resolved).catch(() => undefined))?.isDirty === true) {
    throw new EditorError('dirty', `${file} has unsaved changes in its editor. Save it and try again.`);
  }
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(vscode.Uri.file(resolved), { ignoreIfNotExists: true });
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new EditorError('editRejected', `VS Code could not delete ${file}. Close its editors and try again.`);
  }
  await removeEmptyFolders(path.dirname(resolved), editor);
}

/** Does not remove workspace folders. Never rejects. */
async function removeEmptyFolders(start: string, { folders }: Pick<EditorPort, 'folders'>): Promise<void> {
  const roots = folders.map((folder) => folder.path);
  const root = innermostFolder(start, roots, false);
  if (root === undefined) return;
  for (let folder = start; relativePathIn(folder, root, false) !== ''; folder = path.dirname(folder)) {
    try {
      // Fails if the folder is not empty.
      await rmdir(folder);
    } catch {
      return;
    }
  }
}
