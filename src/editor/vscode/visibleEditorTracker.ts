import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { DisposableStore } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { EditorSelection, SelectedText } from '../common/editorPort';
import { truncateRangeEnd } from '../common/text/selectionText';
import { SettledEditors } from '../common/settledEditors';
import type { PathGuard } from '../node/pathGuard';

/** Maximum length of a selected text, in UTF-16 units. */
const maxSelectedText = 16 * 1024;

/**
 * Tracks visible editors and selections in files that peers can access. Checking a file requires disk access, so its
 * editor is added only after the check, with an event.
 */
export class VisibleEditorTracker implements vscode.Disposable {
  private readonly disposables = new DisposableStore();
  private readonly selectionEmitter = this.disposables.add(new Emitter<void>((error) => this.onListenerError(error)));
  readonly onDidChangeSelection = this.selectionEmitter.event;
  private readonly visibleFilesEmitter = this.disposables.add(
    new Emitter<void>((error) => this.onListenerError(error)),
  );
  readonly onDidChangeVisibleFiles = this.visibleFilesEmitter.event;
  private readonly settledVisibleEditors: SettledEditors<vscode.TextEditor>;
  /** Whether peers can access a visible file, by path; undefined until its check ends. */
  private readonly isAllowedByPath = new Map<string, boolean | undefined>();
  private accessRulesVersion = 0;
  /** The last active file editor; kept while a terminal or webview has the focus. */
  private lastActiveEditor: vscode.TextEditor | undefined;

  constructor(
    private readonly pathGuard: PathGuard,
    clock: Clock,
    private readonly onListenerError: (error: unknown) => void,
  ) {
    this.settledVisibleEditors = this.disposables.add(new SettledEditors(clock, () => this.fireChanges()));
  }

  start(): void {
    const { window } = vscode;
    this.lastActiveEditor = window.activeTextEditor;
    this.disposables.add(
      window.onDidChangeTextEditorSelection(({ textEditor }) => this.onSelectionChanged(textEditor)),
    );
    this.disposables.add(
      window.onDidChangeActiveTextEditor((editor) => {
        if (editor && isFile(editor)) this.lastActiveEditor = editor;
        this.fireChanges();
      }),
    );
    this.disposables.add(window.onDidChangeVisibleTextEditors(() => this.checkVisibleFiles()));
    this.disposables.add(window.tabGroups.onDidChangeTabs(() => this.onTabsChanged()));
    this.disposables.add(window.tabGroups.onDidChangeTabGroups(() => this.onTabsChanged()));
    this.checkVisibleFiles();
  }

  /** Checks all files again. Call after the workspace folders or the exclude list have changed. */
  recheckFiles(): void {
    this.accessRulesVersion++;
    this.isAllowedByPath.clear();
    this.settledVisibleEditors.clear();
    this.checkVisibleFiles();
  }

  get activeSelection(): EditorSelection | undefined {
    const editor = this.lastActiveEditor;
    return editor && this.settledVisibleEditors.editors.includes(editor) ? selectionOf(editor) : undefined;
  }

  get selections(): readonly EditorSelection[] {
    return this.visibleEditors.map(selectionOf);
  }

  get visibleFiles(): readonly string[] {
    return [...new Set(this.visibleEditors.map(({ document }) => document.uri.fsPath))];
  }

  dispose(): void {
    this.disposables.dispose();
    this.isAllowedByPath.clear();
    this.lastActiveEditor = undefined;
  }

  /** The visible editors, starting with the active one. */
  private get visibleEditors(): readonly vscode.TextEditor[] {
    return [...this.settledVisibleEditors.editors].sort(
      (a, b) => Number(b === this.lastActiveEditor) - Number(a === this.lastActiveEditor),
    );
  }

  private fireChanges(): void {
    this.visibleFilesEmitter.fire();
    this.selectionEmitter.fire();
  }

  private onSelectionChanged(editor: vscode.TextEditor): void {
    if (editor === vscode.window.activeTextEditor && isFile(editor)) this.lastActiveEditor = editor;
    if (this.settledVisibleEditors.editors.includes(editor)) this.selectionEmitter.fire();
  }

  /** Without a visible editor, the tabs tell whether one is opening. */
  private onTabsChanged(): void {
    const isWaiting = this.settledVisibleEditors.editors.length > 0 && vscode.window.visibleTextEditors.length === 0;
    if (isWaiting) this.updateEditors();
  }

  private checkVisibleFiles(): void {
    const visible = new Set(vscode.window.visibleTextEditors.filter(isFile).map(({ document }) => document.uri.fsPath));
    // A file can be replaced while it is hidden.
    for (const path of this.isAllowedByPath.keys()) if (!visible.has(path)) this.isAllowedByPath.delete(path);
    for (const path of visible) if (!this.isAllowedByPath.has(path)) void this.checkFile(path);
    this.updateEditors();
  }

  private updateEditors(): void {
    this.settledVisibleEditors.update(
      vscode.window.visibleTextEditors
        .filter(isFile)
        .map((editor) => ({ editor, isAllowed: this.isAllowedByPath.get(editor.document.uri.fsPath) })),
      vscode.window.visibleTextEditors.length === 0 && isTextTabShown(),
    );
  }

  private async checkFile(path: string): Promise<void> {
    const { accessRulesVersion: rulesVersion } = this;
    this.isAllowedByPath.set(path, undefined);
    const mayBeShown = await this.pathGuard.check(path).then(
      () => true,
      () => false,
    );
    // The rules have changed or the file was hidden while it was checked.
    if (rulesVersion !== this.accessRulesVersion || !this.isAllowedByPath.has(path)) return;
    this.isAllowedByPath.set(path, mayBeShown);
    this.updateEditors();
  }
}

function isFile({ document }: vscode.TextEditor): boolean {
  return document.uri.scheme === 'file';
}

/** While a tab is switched to, it has no text editor yet. */
function isTextTabShown(): boolean {
  return vscode.window.tabGroups.all.some(({ activeTab }) => activeTab?.input instanceof vscode.TabInputText);
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
  const cut = truncateRangeEnd({ lineAt, lineEndingLength }, { start, end }, maxSelectedText);
  return document.getText(new vscode.Range(start, new vscode.Position(cut.line, cut.character)));
}
