import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../base/common/disposable';
import { PrivateTemporaryFolder } from '../../base/node/privateTemporaryFolder';
import { htmlViewFile } from '../common/htmlView';

/** Views of answers in the browser. A browser reads a file again at any time, so files are kept until the window closes. */
export class HtmlViews implements Disposable {
  private readonly folder = new PrivateTemporaryFolder(tmpdir(), 'view');

  /** Removes what windows that were killed have left. */
  start(): void {
    void this.folder.removeAbandoned();
  }

  /**
   * Opens the HTML of an answer in the browser, as a file without network and scripts. If the browser is on another machine, the
   * user chooses where to save the file. @throws Error
   */
  readonly open = async (html: string): Promise<void> => {
    const content = htmlViewFile(html);
    if (vscode.env.remoteName !== undefined || vscode.env.uiKind === vscode.UIKind.Web) {
      await save(content);
      return;
    }
    const file = path.join(await this.folder.createOrGetPath(), `view-${randomUUID()}.html`);
    await writeFile(file, content, { mode: 0o600 });
    if (!(await vscode.env.openExternal(vscode.Uri.file(file)))) {
      throw new Error(`The view could not be opened. Open ${file} in your browser.`);
    }
  };

  dispose(): void {
    this.folder.dispose();
  }
}

async function save(content: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(tmpdir());
  const defaultUri = vscode.Uri.joinPath(folder, 'view.html');
  const chosen = await vscode.window.showSaveDialog({
    defaultUri,
    filters: { HTML: ['html'] },
    saveLabel: 'Save View',
  });
  if (chosen) await vscode.workspace.fs.writeFile(chosen, new TextEncoder().encode(content));
}
