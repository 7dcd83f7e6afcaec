import * as vscode from 'vscode';
import type { ItemPosition, ItemRange } from '../common/contextItem';

export function toRange({ start, end }: ItemRange): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Shows a document with the cursor at a place, and what there is to say of the place. */
export async function showHoverAt(uri: vscode.Uri, { line, character }: ItemPosition): Promise<void> {
  const at = new vscode.Position(line, character);
  const editor = await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at) });
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  await vscode.commands.executeCommand('editor.action.showHover');
}
