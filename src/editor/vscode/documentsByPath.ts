import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { FileVersion, TextFile } from '../common/editorPort';
import type { CheckedPath } from '../node/pathGuard';

/** VS Code's limit for files that extensions open. */
export const maxOpenBytes = 50 * 1024 * 1024;

/** Finds VS Code's open documents by path, even if a file is open through a link. */
export class DocumentsByPath implements vscode.Disposable {
  private readonly disposables = new DisposableStore();
  private readonly documentsByPath = new Map<string, vscode.TextDocument>();
  /** For each real path, the path of a link through which the file is open. */
  private readonly openPathByRealPath = new Map<string, string>();
  /** Distinguishes documents of the same file, whose version numbers all start at 1. */
  private readonly idByDocument = new WeakMap<vscode.TextDocument, number>();
  private lastDocumentId = 0;

  /** `windowId` distinguishes versions from those of an earlier extension host. */
  constructor(private readonly windowId: string) {}

  start(): void {
    this.disposables.add(vscode.workspace.onDidOpenTextDocument((document) => this.onDocumentOpened(document)));
    this.disposables.add(vscode.workspace.onDidCloseTextDocument((document) => this.onDocumentClosed(document)));
    for (const document of vscode.workspace.textDocuments) this.onDocumentOpened(document);
  }

  async find({ path, realPath }: CheckedPath): Promise<vscode.TextDocument | undefined> {
    const document = this.documentsByPath.get(pathKey(path)) ?? this.documentsByPath.get(pathKey(realPath));
    if (document) return document;
    const alias = this.openPathByRealPath.get(pathKey(realPath));
    if (alias === undefined) return undefined;
    // Resolves the link again, because it may have changed and VS Code saves to its current target.
    const leadsTo = await realpath(alias).catch(() => undefined);
    return leadsTo === realPath ? this.documentsByPath.get(pathKey(alias)) : undefined;
  }

  versionOf(document: vscode.TextDocument): FileVersion {
    let identity = this.idByDocument.get(document);
    if (identity === undefined) {
      identity = ++this.lastDocumentId;
      this.idByDocument.set(document, identity);
    }
    return `buffer:${this.windowId}:${identity}:${document.version}`;
  }

  toTextFile(path: string, document: vscode.TextDocument): TextFile {
    return { path, text: document.getText(), version: this.versionOf(document), isDirty: document.isDirty };
  }

  dispose(): void {
    this.disposables.dispose();
    this.documentsByPath.clear();
    this.openPathByRealPath.clear();
  }

  private onDocumentOpened(document: vscode.TextDocument): void {
    if (document.uri.scheme !== 'file') return;
    this.documentsByPath.set(pathKey(document.uri.fsPath), document);
    void this.recordRealPath(document);
  }

  private onDocumentClosed(document: vscode.TextDocument): void {
    const path = document.uri.fsPath;
    if (this.documentsByPath.get(pathKey(path)) !== document) return;
    this.documentsByPath.delete(pathKey(path));
    for (const [real, alias] of this.openPathByRealPath) if (alias === path) this.openPathByRealPath.delete(real);
  }

  private async recordRealPath(document: vscode.TextDocument): Promise<void> {
    const path = document.uri.fsPath;
    const real = await realpath(path).catch(() => path);
    if (pathKey(real) !== pathKey(path) && !document.isClosed) this.openPathByRealPath.set(pathKey(real), path);
  }
}

/** On Windows, paths of the same file can differ in case, especially in the drive letter. */
export function pathKey(path: string): string {
  return process.platform === 'win32' ? path.toLowerCase() : path;
}
