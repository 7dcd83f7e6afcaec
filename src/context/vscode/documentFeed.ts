import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import type { AskOptions, ContextClient } from '../common/contextClient';
import type { ContextAnswer } from '../common/items/documentRecord';
import { cellScheme } from '../common/items/notebookCell';
import type { FileAccessFilter } from '../node/fileAccessFilter';
import { excludablePath } from './places';

/** URI schemes of the documents that providers are asked about. */
export const contextSchemes = ['file', cellScheme, 'untitled'];

/** Forwards document changes to the client and requests items for visible documents in the background. */
export class DocumentFeed implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new Emitter<vscode.TextDocument>((error) => this.onError(error)));
  /** Fires when the known items of a visible document may have changed. */
  readonly onDidUpdate = this.emitter.event;

  constructor(
    private readonly client: ContextClient,
    private readonly fileFilter: Pick<FileAccessFilter, 'look' | 'allows' | 'forget'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Fires when there may be new items for a document (its URI), or for all (undefined). */
  get onDidChange(): Event<string | undefined> {
    return this.client.onDidChange;
  }

  start(): void {
    const { workspace, window } = vscode;
    this.store.add(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        // The event also fires when only the state changes, for example after saving.
        if (contentChanges.length > 0) this.client.edited(document.uri.toString(), document.version, contentChanges);
      }),
    );
    this.store.add(
      workspace.onDidCloseTextDocument(({ uri }) => {
        this.client.closed(uri.toString());
        this.release(excludablePath(uri));
      }),
    );
    // Changing the language closes and reopens a document.
    this.store.add(workspace.onDidOpenTextDocument(({ uri }) => this.refresh(uri.toString())));
    this.store.add(window.onDidChangeVisibleTextEditors(() => this.refresh(undefined)));
    this.store.add(this.client.onDidChange((uri) => this.refresh(uri)));
    this.refresh(undefined);
  }

  /** Undefined for a document that providers are not asked about. Never rejects. */
  async ask(document: vscode.TextDocument, options: AskOptions): Promise<ContextAnswer | undefined> {
    if (!contextSchemes.includes(document.uri.scheme)) return undefined;
    await this.fileFilter.look(excludablePath(document.uri));
    if (!this.isFor(document)) return undefined;
    const { uri, version } = document;
    return await this.client.ask({ uri: uri.toString(), version, getText: () => document.getText() }, options);
  }

  /** The known items, without asking providers. */
  peek(document: vscode.TextDocument): ContextAnswer | undefined {
    return this.isFor(document) ? this.client.peek(document.uri.toString()) : undefined;
  }

  /** Why providers are not asked about a document, if so. */
  refusalOf(document: vscode.TextDocument): string | undefined {
    if (!contextSchemes.includes(document.uri.scheme))
      return 'Providers are only asked about files, untitled documents and cells of notebooks';
    return this.isFor(document) ? undefined : 'backline.exclude keeps this file from providers';
  }

  dispose(): void {
    this.store.dispose();
  }

  private isFor({ uri }: vscode.TextDocument): boolean {
    return contextSchemes.includes(uri.scheme) && this.fileFilter.allows(excludablePath(uri));
  }

  /** Several documents can have the same path, for example the cells of a notebook. */
  private release(path: string): void {
    if (!vscode.workspace.textDocuments.some(({ uri }) => excludablePath(uri) === path)) this.fileFilter.forget(path);
  }

  /** Requests items for the visible documents with this URI, or for all of them. */
  private refresh(uri: string | undefined): void {
    const documents = new Set(vscode.window.visibleTextEditors.map(({ document }) => document));
    for (const document of documents) {
      if (uri !== undefined && document.uri.toString() !== uri) continue;
      // Slow providers must not delay known items. The client fires an event when they answer.
      const isEnough = (items: { readonly length: number }): boolean => items.length > 0;
      this.ask(document, { reason: 'background', isEnough }).then(() => this.emitter.fire(document), this.onError);
    }
  }
}
