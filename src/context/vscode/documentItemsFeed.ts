import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import type { RequestOptions, ContextClient } from '../common/contextClient';
import type { ContextAnswer } from '../common/items/documentRecord';
import { cellScheme } from '../common/items/notebookCell';
import type { FileAccessFilter } from '../node/fileAccessFilter';
import { pathForExcludeList } from './places';

/** URI schemes of the documents that providers are asked about. */
export const supportedSchemes = ['file', cellScheme, 'untitled'];

/** Forwards document changes to the client and requests items for visible documents in the background. */
export class DocumentItemsFeed implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly updateEmitter = this.disposables.add(
    new Emitter<vscode.TextDocument>((error) => this.onError(error)),
  );
  readonly onDidUpdate = this.updateEmitter.event;

  constructor(
    private readonly client: ContextClient,
    private readonly fileFilter: Pick<FileAccessFilter, 'resolve' | 'allows' | 'forget'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Fires when there may be new items for a document (its URI), or for all (undefined). */
  get onDidChangeItems(): Event<string | undefined> {
    return this.client.onDidChangeItems;
  }

  start(): void {
    const { workspace, window } = vscode;
    this.disposables.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // The event also fires when only the state changes, for example after saving.
        if (contentChanges.length > 0)
          this.client.documentEdited(document.uri.toString(), document.version, contentChanges);
      }),
    );
    this.disposables.add(
      workspace.onDidCloseTextDocument(({ uri }) => {
        this.client.documentClosed(uri.toString());
        this.forgetPath(pathForExcludeList(uri));
      }),
    );
    // Changing the language closes and reopens a document.
    this.disposables.add(workspace.onDidOpenTextDocument(({ uri }) => this.refresh(uri.toString())));
    this.disposables.add(window.onDidChangeVisibleTextEditors(() => this.refresh(undefined)));
    this.disposables.add(this.client.onDidChangeItems((uri) => this.refresh(uri)));
    this.refresh(undefined);
  }

  /** Undefined for a document that providers are not asked about. Never rejects. */
  async requestItems(document: vscode.TextDocument, options: RequestOptions): Promise<ContextAnswer | undefined> {
    if (!supportedSchemes.includes(document.uri.scheme)) return undefined;
    await this.fileFilter.resolve(pathForExcludeList(document.uri));
    if (!this.isIncluded(document)) return undefined;
    const { uri, version } = document;
    return await this.client.requestItems({ uri: uri.toString(), version, getText: () => document.getText() }, options);
  }

  knownItems(document: vscode.TextDocument): ContextAnswer | undefined {
    return this.isIncluded(document) ? this.client.knownItems(document.uri.toString()) : undefined;
  }

  /** Returns why providers are not asked about a document; undefined if they are asked. */
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
   * Forgets a path when no open document has it. Several documents can have the same path, such as the cells of a
   * notebook.
   */
  private forgetPath(path: string): void {
    if (!vscode.workspace.textDocuments.some(({ uri }) => pathForExcludeList(uri) === path))
      this.fileFilter.forget(path);
  }

  /** Requests items for the visible documents with this URI, or for all of them. */
  private refresh(uri: string | undefined): void {
    const documents = new Set(vscode.window.visibleTextEditors.map(({ document }) => document));
    for (const document of documents) {
      if (uri !== undefined && document.uri.toString() !== uri) continue;
      // Slow providers must not delay known items. The client fires an event when they answer.
      const isEnough = (items: { readonly length: number }): boolean => items.length > 0;
      this.requestItems(document, { reason: 'background', isEnough }).then(
        () => this.updateEmitter.fire(document),
        this.onError,
      );
    }
  }
}
