import { BoundedMap } from '../../../base/common/boundedMap';
import type { FileVersion } from '../../../editor/common/editorPort';

const defaultMaxFiles = 2000;

/** Maps the editor's opaque file versions to increasing integers. A forgotten file gets a higher number next time. */
export class FileVersions {
  private readonly versionsByPath: BoundedMap<string, { readonly version: FileVersion; readonly number: number }>;
  private lastNumber = 0;

  constructor(maxFiles = defaultMaxFiles) {
    this.versionsByPath = new BoundedMap({ maxEntries: maxFiles });
  }

  /** `path` is the editor's absolute path. */
  versionNumberOf(path: string, version: FileVersion): number {
    const before = this.versionsByPath.get(path);
    const number = before?.version === version ? before.number : ++this.lastNumber;
    this.versionsByPath.set(path, { version, number });
    return number;
  }
}
