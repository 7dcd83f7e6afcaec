import * as vscode from 'vscode';
import { isEditorError, type EditorPort } from '../../editor/common/editorPort';

/**
 * Opens what a thread names: a link, or a file at a line (1-based). A thread may have worked in another worktree: a file
 * of its folders that cannot be opened where it was is looked for in the workspace. @throws EditorError
 */
export async function openPlace(
  editor: Pick<EditorPort, 'open'>,
  target: string,
  line: number | undefined,
  threadFolders: readonly string[],
): Promise<void> {
  const [, bare = target, row = line] = /^(.+?):(\d+)(?::\d+)?$/.exec(target) ?? [];
  const isLink = /^[a-z][a-z\d+.-]+:\/\//i.test(target);
  const path = isLink || line !== undefined ? target : bare;
  const place = (name: string): string => (isLink || row === undefined ? name : `${name}#L${row}`);
  try {
    await editor.open(place(path));
  } catch (error) {
    const relative = relativeTo(threadFolders, path);
    if (relative === undefined || !isEditorError(error)) throw error;
    // What is wrong with the path that the thread has says more than what is wrong with a guess.
    await editor.open(place(relative)).catch(() => {
      throw error;
    });
  }
}

function relativeTo(folders: readonly string[], path: string): string | undefined {
  const folder = folders.find((name) => path.startsWith(`${name.replace(/[\\/]+$/, '')}/`));
  return folder === undefined ? undefined : path.slice(folder.replace(/[\\/]+$/, '').length + 1);
}

/** Shows the file of a thread as it is. VS Code asks for confirmation when it is too large for its editor. */
export async function openAsJson(file: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
}
