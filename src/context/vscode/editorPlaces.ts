import * as vscode from 'vscode';
import type { ItemPosition, ItemRange } from '../common/items/contextItem';
import { cellScheme } from '../common/items/notebookCell';

export function toRange({ start, end }: ItemRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Whether the URI belongs to a local file or a notebook cell in one. */
export function isFileOrCell({ scheme }: vscode.Uri): boolean {
  return scheme === 'file' || scheme === cellScheme;
}

/** Returns the path for the exclude list. In remote windows, URIs other than `file:` contain the host. */
export function pathForExcludeList(uri: vscode.Uri): string {
  const isNamed = uri.scheme !== 'file' && vscode.env.remoteName !== undefined;
  return (isNamed ? uri.with({ authority: '' }) : uri).fsPath;
}

/** Shows the hover at a position, with the focus in it: without, VS Code hides it when the mouse moves. */
export async function showHoverAt(uri: vscode.Uri, { line, character }: ItemPosition): Promise<void> {
  const at = new vscode.Position(line, character);
  const editor = await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at) });
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  await vscode.commands.executeCommand('editor.action.showHover', { focus: 'autoFocusImmediately' });
}
