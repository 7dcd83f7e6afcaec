import type * as vscode from 'vscode';
import { BoundedMap } from '../../../base/common/boundedMap';
import { readOnlyTextUri } from '../../../platform/vscode/readOnlyTexts';

/** Maximum number of texts that are kept. The user can reopen a closed diff only while its texts are kept. */
const maxTexts = 60;
const maxReaders = 3_000;

/** Read-only documents for texts of conversations, named like their files. Only the newest ones can be read. */
export class VirtualDocuments {
  private readonly textsByQuery = new BoundedMap<string, string>({ maxEntries: maxTexts });
  private readonly readersByQuery = new BoundedMap<string, () => Promise<string>>({ maxEntries: maxReaders });
  private lastQuery = 0;

  constructor(readonly scheme: string) {}

  /** Adds a document. `path` is an absolute path or a name. */
  add(path: string, text: string): vscode.Uri {
    const query = String(++this.lastQuery);
    this.textsByQuery.set(query, text);
    return readOnlyTextUri(this.scheme, path, query);
  }

  /** Adds a document whose text is read whenever the document is opened. */
  addLazy(path: string, read: () => Promise<string>): vscode.Uri {
    const query = String(++this.lastQuery);
    this.readersByQuery.set(query, read);
    return readOnlyTextUri(this.scheme, path, query);
  }

  async textOf(query: string): Promise<string> {
    const text = this.textsByQuery.get(query) ?? (await this.readersByQuery.get(query)?.());
    return text ?? 'This text is no longer available. Open it from the conversation again.';
  }
}
