import { BoundedMap } from '../../../base/common/boundedMap';
import type { FileVersion } from '../../../editor/common/editorPort';

const defaultMaxFiles = 2000;

/**
 * Maps the editor's opaque file versions to increasing integers. A file that was dropped from the map and is added
 * again gets a higher number than before.
 */
export class FileVersions {
  private readonly versionsByPath: BoundedMap<string, { readonly version: FileVersion; readonly number: number }>;
  private lastNumber = 0;

  constructor(maxFiles = defaultMaxFiles) {
    this.versionsByPath = new BoundedMap({ maxEntries: maxFiles });
  }

  /** Returns the number of a version. `path` is the absolute path of the file in the editor. */
  versionNumberOf(path: string, version: FileVersion): number {
    const before = this.versionsByPath.get(path);
    const number = before?.version === version ? before.number : ++this.lastNumber;
    this.versionsByPath.set(path, { version, number });
    return number;
  }
}
