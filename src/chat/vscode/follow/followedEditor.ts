import * as vscode from 'vscode';
import type { Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { FollowedPlace } from '../../common/follow/followState';

interface FollowedEditorDeps {
  readonly editor: Pick<EditorPort, 'resolve' | 'stat' | 'readBytes'>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

const maxBytes = 2 * 1024 * 1024;
const probedBytes = 8 * 1024;
/** VS Code reports the effects of an opened editor, an edit or a layout change with a delay, in milliseconds. */
const settleMs = 800;

/** Shows places in a preview editor, and detects when the user acts in an editor. */
export class FollowedEditor implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly userActionEmitter = this.disposables.add(new Emitter<void>((error) => this.deps.onError(error)));
  /** Fires when the user types, clicks or scrolls in an editor, or switches to another one. */
  readonly onUserAction = this.userActionEmitter.event;
  private readonly lineDecoration = this.disposables.add(
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    }),
  );
  private shownEditor: { readonly path: string; readonly column: vscode.ViewColumn; lineCount: number } | undefined;
  private isOpening = false;
  /** Scroll events before this time are not caused by the user. In milliseconds of the monotonic clock. */
  private ignoreScrollUntil = 0;

  constructor(
    private readonly deps: FollowedEditorDeps,
    /** Whether an agent is writing this file through the editor port. */
    private readonly isWrittenByAgent: (path: string) => boolean,
  ) {}

  start(): void {
    const { disposables } = this;
    const { window, workspace } = vscode;
    disposables.add(workspace.onDidChangeTextDocument((change) => this.handleTextChange(change)));
    disposables.add(
      window.onDidChangeTextEditorSelection(({ kind, textEditor }) => this.handleSelection(kind, textEditor)),
    );
    disposables.add(window.onDidChangeTextEditorVisibleRanges((change) => this.handleScroll(change)));
    disposables.add(window.onDidChangeActiveTextEditor((editor) => this.detectSwitchToOtherEditor(editor)));
    disposables.add(window.tabGroups.onDidChangeTabs(() => this.handleTabs()));
  }

  /**
   * Shows the place without taking the focus. Does nothing for large and binary files, for files that agents may not
   * access, and if a diff or another special editor would be covered. Calls `isWanted` immediately before showing it.
   * @throws EditorError
   */
  async show(place: FollowedPlace, isWanted: () => boolean): Promise<void> {
    const path = await this.deps.editor.resolve(place.path);
    if (!(await this.isReadableText(path))) return;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
    const column = this.columnFor(path);
    if (column === undefined || !isWanted()) return;
    this.isOpening = true;
    this.ignoreScrollBriefly();
    try {
      const options = { viewColumn: column, preview: true, preserveFocus: true };
      const editor = await vscode.window.showTextDocument(document, options);
      this.shownEditor = { path, column: editor.viewColumn ?? column, lineCount: 0 };
      this.reveal(editor, place);
    } finally {
      this.isOpening = false;
      this.ignoreScrollBriefly();
    }
  }

  /** Call when the turn has ended or the user has turned off Follow. */
  forgetShownEditor(): void {
    if (!this.shownEditor) return;
    this.shownEditor = undefined;
    this.clearDecoration();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private reveal(editor: vscode.TextEditor, { line, text }: FollowedPlace): void {
    this.clearDecoration();
    const { document } = editor;
    const offset = line === undefined && text ? document.getText().indexOf(text) : -1;
    const found = line ?? (offset < 0 ? undefined : document.positionAt(offset).line);
    if (found === undefined) return;
    const row = Math.min(found, document.lineCount - 1);
    const range = new vscode.Range(row, 0, row, 0);
    editor.setDecorations(this.lineDecoration, [range]);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  private clearDecoration(): void {
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.lineDecoration, []);
  }

  private async isReadableText(path: string): Promise<boolean> {
    const { size, type } = await this.deps.editor.stat(path);
    if (type !== 'file' || size > maxBytes) return false;
    const { bytes } = await this.deps.editor.readBytes(path, { limit: probedBytes });
    return !bytes.includes(0);
  }

  /** Returns the column that already shows the file, or else one in which only an ordinary editor would be covered. */
  private columnFor(path: string): vscode.ViewColumn | undefined {
    const { tabGroups, visibleTextEditors } = vscode.window;
    const { activeTabGroup, all } = tabGroups;
    const visible = visibleTextEditors.find(
      ({ document, viewColumn }) => document.uri.fsPath === path && viewColumn !== undefined,
    );
    if (visible) return visible.viewColumn;
    const last = all.find(({ viewColumn }) => viewColumn === this.shownEditor?.column);
    const groups = [...(last ? [last] : []), activeTabGroup, ...all];
    const free = groups.find(({ activeTab }) => !activeTab || isOrdinary(activeTab));
    if (free) return free.viewColumn;
    // If the conversation is in an editor tab, the file opens beside it.
    return activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview ? vscode.ViewColumn.Beside : undefined;
  }

  private handleTextChange({ document }: vscode.TextDocumentChangeEvent): void {
    this.ignoreScrollBriefly();
    // After a write, VS Code reads a document without unsaved text again. Typing makes a document dirty, but only in an
    // event after the first edit.
    const isTyped = document.isDirty && !this.isWrittenByAgent(document.uri.fsPath);
    if (isTyped && document === vscode.window.activeTextEditor?.document) this.userActionEmitter.fire();
  }

  private handleSelection(kind: vscode.TextEditorSelectionChangeKind | undefined, editor: vscode.TextEditor): void {
    const { Keyboard, Mouse } = vscode.TextEditorSelectionChangeKind;
    if ((kind === Keyboard || kind === Mouse) && editor.viewColumn !== undefined) this.userActionEmitter.fire();
  }

  private handleScroll({ textEditor, visibleRanges }: vscode.TextEditorVisibleRangesChangeEvent): void {
    const { shownEditor } = this;
    if (shownEditor?.path !== textEditor.document.uri.fsPath) return;
    const lineCount = visibleRanges.reduce((sum, { end, start }) => sum + end.line - start.line + 1, 0);
    const isResized = Math.abs(lineCount - shownEditor.lineCount) > 1;
    shownEditor.lineCount = lineCount;
    if (!isResized && this.deps.clock.monotonicNow() > this.ignoreScrollUntil) this.userActionEmitter.fire();
  }

  private detectSwitchToOtherEditor(editor: vscode.TextEditor | undefined): void {
    this.ignoreScrollBriefly();
    if (!this.shownEditor || this.isOpening || editor?.viewColumn === undefined) return;
    if (editor.document.uri.fsPath !== this.shownEditor.path) this.userActionEmitter.fire();
  }

  /** Detects that an editor without text, such as an image viewer, has replaced the shown editor. */
  private handleTabs(): void {
    const { isOpening, shownEditor } = this;
    if (!shownEditor || isOpening) return;
    const group = vscode.window.tabGroups.all.find(({ viewColumn }) => viewColumn === shownEditor.column);
    const input = group?.activeTab?.input;
    if (input instanceof vscode.TabInputText && input.uri.fsPath === shownEditor.path) return;
    this.userActionEmitter.fire();
  }

  private ignoreScrollBriefly(): void {
    this.ignoreScrollUntil = this.deps.clock.monotonicNow() + settleMs;
  }
}

/** Whether another editor may cover the tab. Diffs, merge editors and pages must not be covered. */
function isOrdinary({ input, isDirty, isPreview }: vscode.Tab): boolean {
  const isFile = input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom;
  return isFile && !(isPreview && isDirty);
}
