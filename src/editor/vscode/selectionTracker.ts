import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { DisposableStore } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { EditorSelection, SelectedText } from '../common/editorPort';
import { cutEnd } from '../common/text/selectionText';
import { SettledEditors } from '../common/settledEditors';
import type { PathGuard } from '../node/pathGuard';

/** UTF-16 units. */
const maxSelectedText = 16 * 1024;

/**
 * What of the visible editors peers may know. Whether they may is found out on the disk, so a file counts only from the
 * moment its check has ended, which is then an event of its own.
 */
export class SelectionTracker implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly selectionEmitter = this.store.add(new Emitter<void>((error) => this.onListenerError(error)));
  readonly onDidChangeSelection = this.selectionEmitter.event;
  private readonly filesEmitter = this.store.add(new Emitter<void>((error) => this.onListenerError(error)));
  readonly onDidChangeVisibleFiles = this.filesEmitter.event;
  private readonly editors: SettledEditors<vscode.TextEditor>;
  /** Whether peers may know of a visible file; undefined until its check has ended. */
  private readonly allowed = new Map<string, boolean | undefined>();
  private generation = 0;
  /** Active last; focus in a terminal or a webview does not make it undefined. */
  private lastActive: vscode.TextEditor | undefined;

  constructor(
    private readonly guard: PathGuard,
    clock: Clock,
    private readonly onListenerError: (error: unknown) => void,
  ) {
    this.editors = this.store.add(new SettledEditors(clock, () => this.fire()));
  }

  start(): void {
    const { window } = vscode;
    this.lastActive = window.activeTextEditor;
    this.store.add(window.onDidChangeTextEditorSelection(({ textEditor }) => this.changed(textEditor)));
    this.store.add(
      window.onDidChangeActiveTextEditor((editor) => {
        if (editor && isFile(editor)) this.lastActive = editor;
        this.fire();
      }),
    );
    this.store.add(window.onDidChangeVisibleTextEditors(() => this.checkVisible()));
    this.checkVisible();
  }

  /** To be called when the boundary or the exclude list has changed: every file is checked again. */
  forget(): void {
    this.generation++;
    this.allowed.clear();
    this.editors.clear();
    this.checkVisible();
  }

  get active(): EditorSelection | undefined {
    const editor = this.lastActive;
    return editor && this.editors.all.includes(editor) ? selectionOf(editor) : undefined;
  }

  get selections(): readonly EditorSelection[] {
    return this.visible.map(selectionOf);
  }

  get visibleFiles(): readonly string[] {
    return [...new Set(this.visible.map(({ document }) => document.uri.fsPath))];
  }

  dispose(): void {
    this.store.dispose();
    this.allowed.clear();
    this.lastActive = undefined;
  }

  /** The active one first. */
  private get visible(): readonly vscode.TextEditor[] {
    return [...this.editors.all].sort((a, b) => Number(b === this.lastActive) - Number(a === this.lastActive));
  }

  private fire(): void {
    this.filesEmitter.fire();
    this.selectionEmitter.fire();
  }

  private changed(editor: vscode.TextEditor): void {
    if (editor === vscode.window.activeTextEditor && isFile(editor)) this.lastActive = editor;
    if (this.editors.all.includes(editor)) this.selectionEmitter.fire();
  }

  private checkVisible(): void {
    const visible = new Set(vscode.window.visibleTextEditors.filter(isFile).map(({ document }) => document.uri.fsPath));
    // A file that was hidden for a while may be another one now.
    for (const path of this.allowed.keys()) if (!visible.has(path)) this.allowed.delete(path);
    for (const path of visible) if (!this.allowed.has(path)) void this.checkOne(path);
    this.update();
  }

  private update(): void {
    this.editors.update(
      vscode.window.visibleTextEditors
        .filter(isFile)
        .map((editor) => ({ editor, isAllowed: this.allowed.get(editor.document.uri.fsPath) })),
    );
  }

  private async checkOne(path: string): Promise<void> {
    const { generation } = this;
    this.allowed.set(path, undefined);
    const mayBeShown = await this.guard.check(path).then(
      () => true,
      () => false,
    );
    // Checked under rules that no longer hold, or hidden in the meantime.
    if (generation !== this.generation || !this.allowed.has(path)) return;
    this.allowed.set(path, mayBeShown);
    this.update();
  }
}

function isFile({ document }: vscode.TextEditor): boolean {
  return document.uri.scheme === 'file';
}

function selectionOf({ document, selections }: vscode.TextEditor): EditorSelection {
  return { path: document.uri.fsPath, selections: selections.map((selection) => selectedText(document, selection)) };
}

function selectedText(document: vscode.TextDocument, { start, end, isEmpty }: vscode.Selection): SelectedText {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
    text: isEmpty ? '' : textOf(document, start, end),
  };
}

function textOf(document: vscode.TextDocument, start: vscode.Position, end: vscode.Position): string {
  const lineEndingLength = document.eol === vscode.EndOfLine.CRLF ? 2 : 1;
  const lineAt = (line: number): vscode.TextLine => document.lineAt(line);
  const cut = cutEnd({ lineAt, lineEndingLength }, { start, end }, maxSelectedText);
  return document.getText(new vscode.Range(start, new vscode.Position(cut.line, cut.character)));
}
