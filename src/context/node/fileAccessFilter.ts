import { realpath } from 'node:fs/promises';
import { innermostFolder, relativePathIn } from '../../editor/common/boundary';
import type { ExcludeList } from '../../editor/common/excludeList';

interface FileAccessFilterDeps {
  /** Absolute paths of the workspace folders. */
  readonly folders: () => readonly string[];
  readonly exclude: () => ExcludeList;
  /** Whether to ignore the case of paths, including the drive letter. */
  readonly isWindows: boolean;
}

interface Spelling {
  readonly path: string;
  /** The path relative to the workspace folder. For a file outside the folders, the absolute path. */
  readonly relativePath: string;
}

/** Decides which files providers may access. A link is excluded if its own path or its target is excluded. */
export class FileAccessFilter {
  private readonly spellingsByPath = new Map<string, readonly Spelling[]>();

  constructor(private readonly deps: FileAccessFilterDeps) {}

  /** Checks an absolute path. The result is kept until `forget` is called. Never rejects. */
  async cacheSpellings(file: string): Promise<void> {
    if (this.spellingsByPath.has(file)) return;
    const { isWindows } = this.deps;
    const folders = this.deps.folders();
    const [real, ...realFolders] = await Promise.all([realOf(file), ...folders.map(realOf)]);
    const spelled = spellingOf(file, folders, isWindows);
    const others = real === file ? [] : [spellingOf(real, [...realFolders, ...folders], isWindows)];
    this.spellingsByPath.set(file, [spelled, ...others]);
  }

  /** Whether providers may access a file. False if `resolve` was not called for it. */
  allows(file: string): boolean {
    const exclude = this.deps.exclude();
    const spellings = this.spellingsByPath.get(file);
    return spellings !== undefined && !spellings.some(({ path, relativePath }) => exclude.excludes(path, relativePath));
  }

  forget(file: string): void {
    this.spellingsByPath.delete(file);
  }

  /** Call when the workspace folders have changed. */
  forgetAll(): void {
    this.spellingsByPath.clear();
  }
}

function spellingOf(path: string, folders: readonly string[], ignoresCase: boolean): Spelling {
  const folder = innermostFolder(path, folders, ignoresCase);
  const below = folder === undefined ? undefined : relativePathIn(path, folder, ignoresCase);
  return { path, relativePath: below ?? path.replace(/^[\\/]+/, '') };
}

/** Resolves links. Returns the path unchanged if the file does not exist. */
async function realOf(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}
