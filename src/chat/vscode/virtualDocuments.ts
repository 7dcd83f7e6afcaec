import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';

/** A closed diff can be opened again by the user for as long as its texts are among these. */
const maxDocuments = 60;

/** Read-only texts that are on no disk, named like the files they are versions of, so that editors colour them alike. */
export class VirtualDocuments implements Disposable {
  private readonly store = new DisposableStore();
  private readonly texts = new Map<string, string>();
  private lastKey = 0;

  constructor(readonly scheme: string) {}

  start(): void {
    this.store.add(
      vscode.workspace.registerTextDocumentContentProvider(this.scheme, {
        provideTextDocumentContent: ({ query }) =>
          this.texts.get(query) ?? 'This text is no longer here. Open it from the conversation again.',
      }),
    );
  }

  /** `path` is absolute, or a name. The document keeps its text while it is one of the newest. */
  add(path: string, text: string): vscode.Uri {
    const query = String(++this.lastKey);
    this.texts.set(query, text);
    const [oldest] = this.texts.keys();
    if (this.texts.size > maxDocuments && oldest !== undefined) this.texts.delete(oldest);
    return vscode.Uri.file(path).with({ scheme: this.scheme, query });
  }

  dispose(): void {
    this.store.dispose();
    this.texts.clear();
  }
}
