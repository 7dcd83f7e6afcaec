import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import * as path from 'node:path';

export interface HardLinksOptions {
  /** The workspace folders, links resolved. */
  readonly folders: () => Promise<readonly string[]>;
  /** Whether a file below one of them is on the exclude list. */
  readonly isExcluded: (file: string, folder: string) => boolean;
}

interface Scan {
  readonly startedAt: number;
  readonly excluded: Promise<ReadonlySet<string>>;
}

const maxNames = 20_000;
const maxScanMs = 500;
/** The clocks of file systems are behind by some milliseconds, those of network drives by more. */
const clockMarginMs = 1000;
/** Full of files that have several names in a package manager's store, and hardly ever of secrets: looked at last. */
const lastFolders: ReadonlySet<string> = new Set(['node_modules', 'objects']);

/**
 * Tells whether a file with several names (hard links) has one that is on the exclude list. A file does not know its
 * names, so the workspace is searched for excluded files: the first 20,000 names from the top, in half a second. What is
 * beyond, or outside the workspace, is not known.
 */
export class HardLinks {
  private scan: Scan | undefined;

  constructor(private readonly options: HardLinksOptions) {}

  /** To be called when the exclude list or the folders have changed. */
  forget(): void {
    this.scan = undefined;
  }

  async hasExcludedName(info: BigIntStats): Promise<boolean> {
    if (!info.isFile() || info.nlink < 2n) return false;
    // A file that gets a name changes its time stamp, so an older scan holds for files that have not changed since.
    const isCovered = this.scan && Number(info.ctimeMs) < this.scan.startedAt - clockMarginMs;
    if (!isCovered) this.scan = { startedAt: Date.now(), excluded: this.findExcluded() };
    return (await this.scan?.excluded)?.has(keyOf(info)) === true;
  }

  private async findExcluded(): Promise<ReadonlySet<string>> {
    const endMs = performance.now() + maxScanMs;
    const found = new Set<string>();
    const roots = await this.options.folders();
    const next = roots.map((root) => ({ folder: root, root }));
    const last: typeof next = [];
    let names = 0;
    for (let place = next.shift() ?? last.shift(); place; place = next.shift() ?? last.shift()) {
      const { folder, root } = place;
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (++names > maxNames) return found;
        const file = path.join(folder, entry.name);
        if (entry.isDirectory()) (lastFolders.has(entry.name) ? last : next).push({ folder: file, root });
        else if (entry.isFile() && this.options.isExcluded(file, root)) {
          const info = await stat(file, { bigint: true }).catch(() => undefined);
          if (info && info.nlink > 1n) found.add(keyOf(info));
        }
      }
      if (performance.now() > endMs) return found;
    }
    return found;
  }
}

function keyOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
