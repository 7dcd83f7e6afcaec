import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { isEditorError, type EditorPort, type TextEdit } from '../../editor/common/editorPort';
import { applyTextEdits } from '../../editor/common/text/textEdits';
import type { Dialogs } from './dialogs';
import { protectionIfWritable } from './protectionIfWritable';

/** What the user can do with links and text of an answer: open, copy, insert into the editor or a new file. */
export class AnswerTextActions implements Disposable {
  private readonly disposables = new DisposableStore();
  private lastActiveEditor: vscode.TextEditor | undefined;

  constructor(
    private readonly editorPort: Pick<EditorPort, 'open' | 'protectionOf'>,
    private readonly dialogs: Pick<Dialogs, 'confirm'>,
  ) {}

  start(): void {
    this.lastActiveEditor = vscode.window.activeTextEditor;
    this.disposables.add(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor && editor.document.uri.scheme !== 'output') this.lastActiveEditor = editor;
      }),
    );
  }

  /** The text editor that was active last, if it is still visible. */
  get textEditor(): vscode.TextEditor | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    if (activeTextEditor) return activeTextEditor;
    const document = this.lastActiveEditor?.document;
    return visibleTextEditors.find((editor) => editor.document === document) ?? visibleTextEditors[0];
  }

  /** Opens a path or a link. `line` and `column` are 1-based. A path may end with `:12` or `:12:5`. @throws EditorError */
  async openTarget(target: string, line?: number, column?: number): Promise<void> {
    try {
      await this.editorPort.open(line === undefined ? target : placeIn(target, line, column));
    } catch (error) {
      const [, path, row, offset] = /^(.+?):(\d+)(?::(\d+))?$/.exec(target) ?? [];
      if (path === undefined || row === undefined || !isEditorError(error)) throw error;
      await this.editorPort.open(placeIn(path, row, offset));
    }
  }

  async copy(text: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
  }

  /** Replaces the selection. Asks before changing a protected file. @throws Error that explains what to do */
  async insertAtCursor(text: string): Promise<void> {
    const editor = this.textEditor;
    if (!editor)
      throw new Error('No editor is open. Open a file and place the cursor where you want to insert the code.');
    const { document, selections } = editor;
    const edits = selections.map(({ start, end }) => ({ range: { start, end }, newText: text }));
    if (!(await this.confirmProtected(document, edits))) return;
    const isDone = await editor.edit((edit) => {
      for (const selection of selections) edit.replace(selection, text);
    });
    if (!isDone) throw new Error('The text could not be inserted. The file may be read-only.');
    await vscode.window.showTextDocument(editor.document, {
      viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active,
    });
  }

  /** Opens text in a new untitled editor. `language` is the name from the code block. */
  async openAsNewFile(text: string, language: string | undefined): Promise<void> {
    const known = await vscode.languages.getLanguages();
    const id = language === undefined ? undefined : known.find((name) => name === languageIdOf(language));
    const document = await vscode.workspace.openTextDocument({
      content: text,
      ...(id === undefined ? {} : { language: id }),
    });
    await vscode.window.showTextDocument(document, { preview: false });
  }

  dispose(): void {
    this.disposables.dispose();
    this.lastActiveEditor = undefined;
  }

  private async confirmProtected(document: vscode.TextDocument, edits: readonly TextEdit[]): Promise<boolean> {
    if (document.uri.scheme !== 'file') return true;
    const before = document.getText();
    const change = { before, after: applyTextEdits(before, edits) };
    const protection = await protectionIfWritable(this.editorPort, document.uri.fsPath, change);
    if (!protection) return true;
    return await this.dialogs.confirm({
      message: `Change ${vscode.workspace.asRelativePath(document.uri)}? It is protected: ${protection.reason}.`,
      detail: 'This text comes from an answer in the chat. The file will not be saved automatically.',
      action: 'Insert',
    });
  }
}

/** A place in a file for `EditorPort.open`. */
function placeIn(file: string, line: number | string, column: number | string | undefined): string {
  return `${file}#L${line}${column === undefined ? '' : `:${column}`}`;
}

const languageIds = new Map([
  ['ts', 'typescript'],
  ['tsx', 'typescriptreact'],
  ['js', 'javascript'],
  ['mjs', 'javascript'],
  ['jsx', 'javascriptreact'],
  ['py', 'python'],
  ['rb', 'ruby'],
  ['rs', 'rust'],
  ['sh', 'shellscript'],
  ['bash', 'shellscript'],
  ['shell', 'shellscript'],
  ['zsh', 'shellscript'],
  ['yml', 'yaml'],
  ['md', 'markdown'],
  ['cs', 'csharp'],
  ['c++', 'cpp'],
  ['golang', 'go'],
  ['kt', 'kotlin'],
  ['docker', 'dockerfile'],
]);

function languageIdOf(name: string): string {
  const lower = name.toLowerCase();
  return languageIds.get(lower) ?? lower;
}
