import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { htmlViewFile } from '../common/htmlView';

/**
 * Opens the HTML of an answer in the browser, as a file without network and scripts. If the browser is on another machine, the
 * user chooses where to save the file. @throws Error
 */
export async function openHtmlView(html: string): Promise<void> {
  const content = htmlViewFile(html);
  const isElsewhere = vscode.env.remoteName !== undefined || vscode.env.uiKind === vscode.UIKind.Web;
  if (isElsewhere) {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(tmpdir());
    const defaultUri = vscode.Uri.joinPath(folder, 'view.html');
    const chosen = await vscode.window.showSaveDialog({
      defaultUri,
      filters: { HTML: ['html'] },
      saveLabel: 'Save View',
    });
    if (chosen) await vscode.workspace.fs.writeFile(chosen, new TextEncoder().encode(content));
    return;
  }
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'backline-view-')), 'view.html');
  await writeFile(file, content, { mode: 0o600 });
  if (!(await vscode.env.openExternal(vscode.Uri.file(file)))) {
    throw new Error(`The view could not be opened. Open ${file} in your browser.`);
  }
}
