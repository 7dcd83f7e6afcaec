import { readIndexChecksum } from '../git/indexFile';
import { GitFailure, type PrivateRepository } from '../git/privateRepository';

const emptyTrees = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
} as const;

/** Options that prevent syncing trees to disk, which takes seconds. Lost trees can be rebuilt from the index. */
const noSync = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_1: 'core.fsync',
  GIT_CONFIG_VALUE_1: 'none',
};

/** Writes the trees of indexes. */
export class TreeWriter {
  private lastTree: { readonly checksum: string; readonly tree: string } | undefined;

  constructor(
    private readonly repository: PrivateRepository,
    private readonly objectFormat: 'sha1' | 'sha256',
  ) {}

  /** Returns the tree of an index whose contents are those of the last written tree. */
  async cachedTreeOf(index: string): Promise<string | undefined> {
    const checksum = await readIndexChecksum(index);
    return checksum !== undefined && this.lastTree?.checksum === checksum ? this.lastTree.tree : undefined;
  }

  /** Writes the tree of the index. `withUserTrees`: the user's repository already has all trees. */
  async write(index: string, signal: AbortSignal, withUserTrees: boolean): Promise<string> {
    const known = await this.cachedTreeOf(index);
    if (known !== undefined) return known;
    const { folderPrefix } = this.repository;
    const args = ['write-tree', '--missing-ok', ...(folderPrefix === '' ? [] : [`--prefix=${folderPrefix}`])];
    const env = noSync;
    try {
      const tree = await this.repository.runForText({ args, index, signal, withUserObjects: withUserTrees, env });
      const checksum = await readIndexChecksum(index);
      this.lastTree = checksum === undefined ? undefined : { checksum, tree };
      return tree;
    } catch (error) {
      // The folder is empty.
      if (error instanceof GitFailure && error.errors.includes('prefix')) return emptyTrees[this.objectFormat];
      throw error;
    }
  }
}
