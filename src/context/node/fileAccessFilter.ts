import { realpath } from 'node:fs/promises';
import { nearestFolder, relativeTo } from '../../editor/common/boundary';
import type { ExcludeList } from '../../editor/common/excludeList';

interface FileAccessFilterOptions {
  /** Absolute paths of the workspace folders. */
  readonly folders: () => readonly string[];
  readonly exclude: () => ExcludeList;
  /** Paths are case-insensitive there, for example the drive letter. */
  readonly isWindows: boolean;
}

interface Spelling {
  readonly path: string;
  /** The path relative to the workspace folder, or the whole path outside of them. */
  readonly below: string;
}

/** Decides which files providers may see. A link is excluded if its own path or its target is. */
export class FileAccessFilter {
  private readonly spellings = new Map<string, readonly Spelling[]>();

  constructor(private readonly options: FileAccessFilterOptions) {}

  /** Resolves an absolute path. The result is kept until it is forgotten. Never rejects. */
  async look(file: string): Promise<void> {
    if (this.spellings.has(file)) return;
    const { isWindows } = this.options;
    const folders = this.options.folders();
    const [real, ...realFolders] = await Promise.all([realOf(file), ...folders.map(realOf)]);
    const spelled = spellingOf(file, folders, isWindows);
    const others = real === file ? [] : [spellingOf(real, [...realFolders, ...folders], isWindows)];
    this.spellings.set(file, [spelled, ...others]);
  }

  /** Whether providers may see a file. False unless `look` was called for it. */
  allows(file: string): boolean {
    const exclude = this.options.exclude();
    const spellings = this.spellings.get(file);
    return spellings !== undefined && !spellings.some(({ path, below }) => exclude.excludes(path, below));
  }

  forget(file: string): void {
    this.spellings.delete(file);
  }

  /** Call this when the workspace folders have changed. */
  forgetAll(): void {
    this.spellings.clear();
  }
}

function spellingOf(path: string, folders: readonly string[], ignoresCase: boolean): Spelling {
  const folder = nearestFolder(path, folders, ignoresCase);
  const below = folder === undefined ? undefined : relativeTo(path, folder, ignoresCase);
  return { path, below: below ?? path.replace(/^[\\/]+/, '') };
}

/** Unchanged if the file does not exist. */
async function realOf(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}
