import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { EditorPort, TextFile } from '../../../editor/common/editorPort';
import { readTextIfExists } from '../../../editor/common/readTextIfExists';
import type { Messages } from '../../../platform/vscode/messages';
import { insertCodeIntoText } from '../../common/changes/codePlacement';
import type { Dialogs } from '../dialogs';
import type { AnswerTextActions } from '../answerTextActions';
import { protectionIfWritable } from '../protectionIfWritable';
import type { VirtualDocuments } from './virtualDocuments';

interface Proposal {
  readonly path: string;
  readonly text: string;
  readonly before: TextFile | undefined;
}

/** Shows code from an answer as a change of a file in a diff editor. The user can apply or discard it there. */
export class CodeProposals implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly proposalsByQuery = new Map<string, Proposal>();

  /** `documents` needs its own URI scheme, because menus in package.json check the scheme. */
  constructor(
    private readonly documents: VirtualDocuments,
    private readonly editorPort: Pick<
      EditorPort,
      'resolve' | 'readText' | 'requireWritable' | 'writeText' | 'protectionOf'
    >,
    private readonly answerTextActions: Pick<AnswerTextActions, 'textEditor'>,
    private readonly dialogs: Pick<Dialogs, 'confirm'>,
    private readonly messages: Messages,
  ) {}

  start(): void {
    this.disposables.add(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed) {
          if (input instanceof vscode.TabInputTextDiff) this.proposalsByQuery.delete(input.modified.query);
        }
      }),
    );
  }

  /** Proposes a change of the named file or the active editor. @throws EditorError, or Error that explains what to do */
  async propose(code: string, targetPath: string | undefined): Promise<void> {
    const target = targetPath ?? this.activeEditorPath();
    if (target === undefined) throw new Error('No file is open. Open the file for this code and try again.');
    const path = await this.editorPort.resolve(target);
    const before = await readTextIfExists(this.editorPort, path);
    const text = insertCodeIntoText({ text: before?.text, code, selection: this.selectionIn(path) });
    const name = vscode.workspace.asRelativePath(path);
    if (text === before?.text) {
      this.messages.info(`${name} already contains this code.`);
      return;
    }
    const proposed = this.documents.add(path, text);
    const current = before ? vscode.Uri.file(path) : this.documents.add(path, '');
    this.proposalsByQuery.set(proposed.query, { path, text, before });
    await vscode.commands.executeCommand(
      'vscode.diff',
      current,
      proposed,
      before ? `${name} (suggested code)` : `${name} (new file)`,
      {
        preview: false,
      },
    );
  }

  /**
   * Applies the given proposal, or the one in the active diff editor. Asks for approval to change a protected file.
   * @throws EditorError `staleVersion`
   */
  async apply(proposalUri?: vscode.Uri): Promise<void> {
    const found = this.findProposal(proposalUri);
    if (!found) return;
    const { uri, proposal } = found;
    const { path, text, before } = proposal;
    // If the file was created in the meantime, the user has not seen its content.
    if (!before && (await readTextIfExists(this.editorPort, path)))
      throw new Error(`${path} was created in the meantime. Apply the code again to review the change.`);
    await this.editorPort.requireWritable(path, text);
    const protectedFiles = await this.confirmProtected(proposal);
    if (!protectedFiles) return;
    await this.editorPort.writeText(path, text, {
      ...(before ? { expectedVersion: before.version } : { mayReplace: () => false }),
      protectedFiles,
    });
    await this.closeDiff(uri);
    await vscode.window.showTextDocument(vscode.Uri.file(path));
  }

  async discard(proposalUri?: vscode.Uri): Promise<void> {
    const found = this.findProposal(proposalUri);
    if (found) await this.closeDiff(found.uri);
  }

  dispose(): void {
    this.disposables.dispose();
    this.proposalsByQuery.clear();
  }

  private async confirmProtected({ path, text, before }: Proposal): Promise<'allow' | 'refuse' | undefined> {
    const protection = await protectionIfWritable(this.editorPort, path, { before: before?.text, after: text });
    if (!protection) return 'refuse';
    const isWanted = await this.dialogs.confirm({
      message: `Change ${vscode.workspace.asRelativePath(path)}? It is protected: ${protection.reason}.`,
      detail: 'This code comes from an answer in the chat. Review the whole change before you apply it.',
      action: 'Apply',
    });
    return isWanted ? 'allow' : undefined;
  }

  private findProposal(proposalUri: vscode.Uri | undefined): { uri: vscode.Uri; proposal: Proposal } | undefined {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const active = input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
    const uri = proposalUri ?? active;
    const proposal = uri?.scheme === this.documents.scheme ? this.proposalsByQuery.get(uri.query) : undefined;
    if (!uri || !proposal) {
      this.messages.info('There is no suggested code. Select Apply on a code block in the chat first.');
      return undefined;
    }
    return { uri, proposal };
  }

  private async closeDiff(uri: vscode.Uri): Promise<void> {
    this.proposalsByQuery.delete(uri.query);
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString());
    await vscode.window.tabGroups.close(tabs);
  }

  private activeEditorPath(): string | undefined {
    const uri = this.answerTextActions.textEditor?.document.uri;
    return uri?.scheme === 'file' ? uri.fsPath : undefined;
  }

  private selectionIn(path: string): { start: number; end: number } | undefined {
    const editor = this.answerTextActions.textEditor;
    if (editor?.document.uri.scheme !== 'file' || editor.document.uri.fsPath !== path) return undefined;
    const { document, selection } = editor;
    return { start: document.offsetAt(selection.start), end: document.offsetAt(selection.end) };
  }
}
