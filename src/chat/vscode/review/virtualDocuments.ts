import type * as vscode from 'vscode';
import { BoundedMap } from '../../../base/common/boundedMap';
import { readOnlyTextUri } from '../../../platform/vscode/readOnlyTexts';

/** The user can reopen a closed diff only while its texts are kept. */
const maxDocuments = 60;

/** Read-only documents for texts of conversations, named like their files. */
export class VirtualDocuments {
  private readonly textsByQuery = new BoundedMap<string, string>({ maxEntries: maxDocuments });
  private lastQuery = 0;

  constructor(readonly scheme: string) {}

  /** Adds a document. `path` is an absolute path or a name. Only the newest documents keep their text. */
  add(path: string, text: string): vscode.Uri {
    const query = String(++this.lastQuery);
    this.textsByQuery.set(query, text);
    return readOnlyTextUri(this.scheme, path, query);
  }

  textOf(query: string): string {
    return this.textsByQuery.get(query) ?? 'This text is no longer available. Open it from the conversation again.';
  }
}
