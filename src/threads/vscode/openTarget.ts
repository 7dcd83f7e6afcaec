import * as vscode from 'vscode';
import { isEditorError, type EditorPort } from '../../editor/common/editorPort';

/**
 * Opens a link or a file in a thread. `line` and `column` are 1-based. If a file does not exist in the thread's folders, for example
 * because the thread worked in another worktree, opens the same file of the workspace. @throws EditorError
 */
export async function openLinkOrFile(
  editor: Pick<EditorPort, 'open'>,
  target: string,
  { line, column }: { readonly line?: number | undefined; readonly column?: number | undefined },
  threadFolders: readonly string[],
): Promise<void> {
  const linePlace = line === undefined ? undefined : [line, column ?? []].flat().join(':');
  const [, pathWithoutLine = target, row = linePlace] = /^(.+?):(\d+(?::\d+)?)$/.exec(target) ?? [];
  const isLink = /^[a-z][a-z\d+.-]+:\/\//i.test(target);
  const path = isLink || line !== undefined ? target : pathWithoutLine;
  const withLine = (name: string): string => (isLink || row === undefined ? name : `${name}#L${row}`);
  try {
    await editor.open(withLine(path));
  } catch (error) {
    const relative = relativeTo(threadFolders, path);
    if (relative === undefined || !isEditorError(error)) throw error;
    // The error for the original path is more helpful than the error for the guessed path.
    await editor.open(withLine(relative)).catch(() => {
      throw error;
    });
  }
}

function relativeTo(folders: readonly string[], path: string): string | undefined {
  const folder = folders.find((name) => path.startsWith(`${name.replace(/[\\/]+$/, '')}/`));
  return folder === undefined ? undefined : path.slice(folder.replace(/[\\/]+$/, '').length + 1);
}

/** Opens a file in the editor. VS Code asks for confirmation if the file is very large. */
export async function openThreadFileAsJson(file: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
}
