import * as vscode from 'vscode';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { DiffTexts } from '../../common/chatPorts';
import type { VirtualDocuments } from './virtualDocuments';

export class DiffViews {
  constructor(
    private readonly documents: VirtualDocuments,
    private readonly editorPort: Pick<EditorPort, 'stat'>,
  ) {}

  async showDiff({ path, before, after }: DiffTexts, label: string): Promise<void> {
    await this.openDiff(this.documents.add(path, before ?? ''), this.documents.add(path, after), path, label);
  }

  /** Compares an earlier version of a file with the current file. The user can edit the current file there. */
  async compareWithCurrent(path: string, before: string | null, beforeLabel: string): Promise<void> {
    const isThere = await this.editorPort.stat(path).then(Boolean, () => false);
    const now = isThere ? vscode.Uri.file(path) : this.documents.add(path, '');
    await this.openDiff(this.documents.add(path, before ?? ''), now, path, `${beforeLabel} ↔ now`);
  }

  private async openDiff(left: vscode.Uri, right: vscode.Uri, path: string, label: string): Promise<void> {
    const title = `${vscode.workspace.asRelativePath(path)} (${label})`;
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }
}
