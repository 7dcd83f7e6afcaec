import type * as vscode from 'vscode';
import { BoundedMap } from '../../../base/common/boundedMap';
import { textUri } from '../../../platform/vscode/readOnlyTexts';

/** A closed diff can be opened again by the user for as long as its texts are among these. */
const maxDocuments = 60;

/** Texts of conversations as documents, named like the files they are versions of. */
export class VirtualDocuments {
  private readonly texts = new BoundedMap<string, string>({ maxEntries: maxDocuments });
  private lastKey = 0;

  constructor(readonly scheme: string) {}

  /** `path` is absolute, or a name. The document keeps its text while it is one of the newest. */
  add(path: string, text: string): vscode.Uri {
    const query = String(++this.lastKey);
    this.texts.set(query, text);
    return textUri(this.scheme, path, query);
  }

  textOf(query: string): string {
    return this.texts.get(query) ?? 'This text is no longer here. Open it from the conversation again.';
  }
}
