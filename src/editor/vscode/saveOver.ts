import * as vscode from 'vscode';

/**
 * VS Code does not save over a file that is newer than what it has read. It may have read that very text, but the time from
 * before; then the file is written here, and VS Code takes a file that holds the same text for saved.
 * @param basis what the file has to hold still, so that nobody's text is lost
 * @returns false when it holds something else, or VS Code refuses all the same
 */
export async function saveOver(
  document: vscode.TextDocument,
  basis: string,
  readText: () => Promise<string>,
): Promise<boolean> {
  const text = document.getText();
  const bytes = await vscode.workspace.encode(text, { encoding: document.encoding });
  if ((await readText()) !== basis) return false;
  await vscode.workspace.fs.writeFile(document.uri, bytes);
  return await document.save();
}
