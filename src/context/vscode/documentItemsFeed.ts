import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import type { ItemRequestOptions, ContextClient } from '../common/contextClient';
import type { ContextAnswer } from '../common/items/documentRecord';
import { cellScheme } from '../common/items/notebookCell';
import type { FileAccessFilter } from '../node/fileAccessFilter';
import { pathForExcludeList } from './editorPlaces';

/** URI schemes of the documents for which items are requested. */
export const supportedSchemes = ['file', cellScheme, 'untitled'];

/** Passes document changes to the client, and requests items for visible documents in the background. */
export class DocumentItemsFeed implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly updateEmitter = this.disposables.add(
    new Emitter<vscode.TextDocument>((error) => this.onError(error)),
  );
  readonly onDidUpdate = this.updateEmitter.event;

  constructor(
    private readonly client: ContextClient,
    private readonly fileFilter: Pick<FileAccessFilter, 'cacheSpellings' | 'allows' | 'forget'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Fires with the URI of a document that may have new items, or with undefined if any document may have. */
  get onDidChangeItems(): Event<string | undefined> {
    return this.client.onDidChangeItems;
  }

  start(): void {
    const { workspace, window } = vscode;
    this.disposables.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // The event also fires if only the state has changed, for example after saving.
        if (contentChanges.length > 0)
          this.client.documentEdited(document.uri.toString(), document.version, contentChanges);
      }),
    );
    this.disposables.add(
      workspace.onDidCloseTextDocument(({ uri }) => {
        this.client.documentClosed(uri.toString());
        this.forgetPathUnlessOpen(pathForExcludeList(uri));
      }),
    );
    // VS Code closes and reopens a document when its language changes.
    this.disposables.add(workspace.onDidOpenTextDocument(({ uri }) => this.refresh(uri.toString())));
    this.disposables.add(window.onDidChangeVisibleTextEditors(() => this.refresh(undefined)));
    this.disposables.add(this.client.onDidChangeItems((uri) => this.refresh(uri)));
    this.refresh(undefined);
  }

  /** Requests the items of a document. Undefined if providers get no requests about it. Never rejects. */
  async requestItems(document: vscode.TextDocument, options: ItemRequestOptions): Promise<ContextAnswer | undefined> {
    if (!supportedSchemes.includes(document.uri.scheme)) return undefined;
    await this.fileFilter.cacheSpellings(pathForExcludeList(document.uri));
    if (!this.isIncluded(document)) return undefined;
    const { uri, version } = document;
    return await this.client.requestItems({ uri: uri.toString(), version, getText: () => document.getText() }, options);
  }

  knownItems(document: vscode.TextDocument): ContextAnswer | undefined {
    return this.isIncluded(document) ? this.client.knownItems(document.uri.toString()) : undefined;
  }

  /** Returns why providers get no requests about a document. Undefined if they do. */
  explainRefusal(document: vscode.TextDocument): string | undefined {
    if (!supportedSchemes.includes(document.uri.scheme))
      return 'Context items are only available for files, untitled documents and notebook cells';
    return this.isIncluded(document) ? undefined : 'This file is excluded by backline.exclude';
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private isIncluded({ uri }: vscode.TextDocument): boolean {
    return supportedSchemes.includes(uri.scheme) && this.fileFilter.allows(pathForExcludeList(uri));
  }

  /**
   * Removes a path when no open document has it. Several documents can have the same path, such as the cells of a
   * notebook.
   */
  private forgetPathUnlessOpen(path: string): void {
    if (!vscode.workspace.textDocuments.some(({ uri }) => pathForExcludeList(uri) === path))
      this.fileFilter.forget(path);
  }

  /** Requests items for the visible document with this URI. Without a URI, requests them for all visible documents. */
  private refresh(uri: string | undefined): void {
    const documents = new Set(vscode.window.visibleTextEditors.map(({ document }) => document));
    for (const document of documents) {
      if (uri !== undefined && document.uri.toString() !== uri) continue;
      // Slow providers must not delay known items. The client fires an event when they have answered.
      const isEnough = (items: { readonly length: number }): boolean => items.length > 0;
      this.requestItems(document, { reason: 'background', isEnough }).then(
        () => this.updateEmitter.fire(document),
        this.onError,
      );
    }
  }
}
