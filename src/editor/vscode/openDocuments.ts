import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { FileVersion, TextFile } from '../common/editorPort';
import type { CheckedPath } from '../node/pathGuard';

/** The documents VS Code has open, found by path, also when a file is open under another path that is a link to it. */
export class OpenDocuments implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly byPath = new Map<string, vscode.TextDocument>();
  /** Real path → path it was open under when last looked at, where the two differ. */
  private readonly aliases = new Map<string, string>();
  /** Tells two openings of one file apart, whose version numbers both count from 1. */
  private readonly identities = new WeakMap<vscode.TextDocument, number>();
  private lastIdentity = 0;

  /** `session` tells the versions of this window's life from those of an earlier one. */
  constructor(private readonly session: string) {}

  start(): void {
    this.store.add(vscode.workspace.onDidOpenTextDocument((document) => this.opened(document)));
    this.store.add(vscode.workspace.onDidCloseTextDocument((document) => this.closed(document)));
    for (const document of vscode.workspace.textDocuments) this.opened(document);
  }

  async find({ path, realPath }: CheckedPath): Promise<vscode.TextDocument | undefined> {
    const document = this.byPath.get(keyOf(path)) ?? this.byPath.get(keyOf(realPath));
    if (document) return document;
    const alias = this.aliases.get(keyOf(realPath));
    if (alias === undefined) return undefined;
    // The link may lead elsewhere by now, and saving goes where it leads.
    const leadsTo = await realpath(alias).catch(() => undefined);
    return leadsTo === realPath ? this.byPath.get(keyOf(alias)) : undefined;
  }

  versionOf(document: vscode.TextDocument): FileVersion {
    let identity = this.identities.get(document);
    if (identity === undefined) {
      identity = ++this.lastIdentity;
      this.identities.set(document, identity);
    }
    return `buffer:${this.session}:${identity}:${document.version}`;
  }

  textFile(path: string, document: vscode.TextDocument): TextFile {
    return { path, text: document.getText(), version: this.versionOf(document), isDirty: document.isDirty };
  }

  dispose(): void {
    this.store.dispose();
    this.byPath.clear();
    this.aliases.clear();
  }

  private opened(document: vscode.TextDocument): void {
    if (document.uri.scheme !== 'file') return;
    this.byPath.set(keyOf(document.uri.fsPath), document);
    void this.learnAlias(document);
  }

  private closed(document: vscode.TextDocument): void {
    const path = document.uri.fsPath;
    if (this.byPath.get(keyOf(path)) !== document) return;
    this.byPath.delete(keyOf(path));
    for (const [real, alias] of this.aliases) if (alias === path) this.aliases.delete(real);
  }

  private async learnAlias(document: vscode.TextDocument): Promise<void> {
    const path = document.uri.fsPath;
    const real = await realpath(path).catch(() => path);
    if (keyOf(real) !== keyOf(path) && !document.isClosed) this.aliases.set(keyOf(real), path);
  }
}

/** Windows spells one path in several cases, drive letters above all. */
function keyOf(path: string): string {
  return process.platform === 'win32' ? path.toLowerCase() : path;
}
