import { BoundedMap } from '../../../base/common/boundedMap';
import type { FileVersion } from '../../../editor/common/editorPort';

const defaultMaxFiles = 2000;

/**
 * The draft's FileVersion, an unsigned integer, for the editor's opaque ones. Numbers only grow, and a file has the same
 * number as long as its text is the same. A file that was not asked for in a long while is forgotten and gets a higher
 * number the next time: a number that changes for nothing costs a read, one that stays when the text changes an edit.
 */
export class FileVersions {
  private readonly known: BoundedMap<string, { readonly version: FileVersion; readonly number: number }>;
  private last = 0;

  constructor(maxFiles = defaultMaxFiles) {
    this.known = new BoundedMap({ maxEntries: maxFiles });
  }

  /** `path`: absolute, as the editor names it. */
  numberOf(path: string, version: FileVersion): number {
    const before = this.known.get(path);
    const number = before?.version === version ? before.number : ++this.last;
    this.known.set(path, { version, number });
    return number;
  }
}
