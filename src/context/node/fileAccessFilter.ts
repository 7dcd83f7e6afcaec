import { realpath } from 'node:fs/promises';
import { nearestFolder, relativeTo } from '../../editor/common/boundary';
import type { ExcludeList } from '../../editor/common/excludeList';

interface FileAccessFilterOptions {
  /** Of the workspace, absolute. */
  readonly folders: () => readonly string[];
  readonly exclude: () => ExcludeList;
  /** There one path can be spelled in two cases, as the drive's letter. */
  readonly isWindows: boolean;
}

interface Spelling {
  readonly path: string;
  /** Its tail below the workspace folder; of a file elsewhere all of it. */
  readonly below: string;
}

/** Keeps back what the user excludes: by the name of a file, and by the name of what a link leads to. */
export class FileAccessFilter {
  private readonly spellings = new Map<string, readonly Spelling[]>();

  constructor(private readonly options: FileAccessFilterOptions) {}

  /** Looks where an absolute path leads, once until it is forgotten. Never rejects. */
  async look(file: string): Promise<void> {
    if (this.spellings.has(file)) return;
    const { isWindows } = this.options;
    const folders = this.options.folders();
    const [real, ...realFolders] = await Promise.all([realOf(file), ...folders.map(realOf)]);
    const spelled = spellingOf(file, folders, isWindows);
    const others = real === file ? [] : [spellingOf(real, [...realFolders, ...folders], isWindows)];
    this.spellings.set(file, [spelled, ...others]);
  }

  /** Whether it may go to providers; nothing may that nobody has looked at. */
  allows(file: string): boolean {
    const exclude = this.options.exclude();
    const spellings = this.spellings.get(file);
    return spellings !== undefined && !spellings.some(({ path, below }) => exclude.excludes(path, below));
  }

  forget(file: string): void {
    this.spellings.delete(file);
  }

  /** The workspace has other folders. */
  forgetAll(): void {
    this.spellings.clear();
  }
}

function spellingOf(path: string, folders: readonly string[], ignoresCase: boolean): Spelling {
  const folder = nearestFolder(path, folders, ignoresCase);
  const below = folder === undefined ? undefined : relativeTo(path, folder, ignoresCase);
  return { path, below: below ?? path.replace(/^[\\/]+/, '') };
}

/** The path itself where there is nothing. */
async function realOf(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}
