import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { eventually, until } from '../../support/eventually';

/** Absolute path of something in the first workspace folder. */
export function inWorkspace(...names: string[]): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'the test window has a folder');
  return path.join(folder.uri.fsPath, ...names);
}

/** Absolute path of something in the folder of Backline itself. */
export function inExtension(...names: string[]): string {
  const extension = vscode.extensions.getExtension('backline.backline');
  assert.ok(extension);
  return path.join(extension.extensionPath, ...names);
}

export async function writeInWorkspace(name: string, content: string | Uint8Array): Promise<string> {
  const file = inWorkspace(name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
}

export async function show(file: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
}

/** Changes the buffer as a user does who has not saved. */
export async function type(editor: vscode.TextEditor, position: vscode.Position, text: string): Promise<void> {
  assert.ok(await editor.edit((edit) => edit.insert(position, text)));
}

/** VS Code refuses while it has not seen yet what else was written into the same file. Undefined takes it out. */
export async function setSetting(
  id: string,
  value: unknown,
  target = vscode.ConfigurationTarget.Workspace,
): Promise<void> {
  await eventually(`setting ${id}`, async () => await vscode.workspace.getConfiguration().update(id, value, target));
}

/** Resolves when they are gone: until VS Code has closed them they count, and have the focus. */
export async function closeTerminals(isMeant: (terminal: vscode.Terminal) => boolean): Promise<void> {
  for (const terminal of vscode.window.terminals.filter(isMeant)) terminal.dispose();
  await until('the terminals are closed', () => !vscode.window.terminals.some(isMeant));
}

/** Throws unsaved changes away and closes every tab. */
export async function closeAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments) {
    // VS Code has documents of its own, such as settings it is writing.
    if (!document.isDirty || !vscode.workspace.getWorkspaceFolder(document.uri)) continue;
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await until('every editor is closed', () => {
    const { tabGroups, visibleTextEditors } = vscode.window;
    return (
      tabGroups.all.every(({ tabs }) => tabs.length === 0) &&
      visibleTextEditors.every(({ document }) => document.uri.scheme !== 'file')
    );
  });
}
