import { moveFiles } from '../common/commentChanges';
import type { CommentStore } from '../node/commentStore';

interface FollowedRenamesDeps {
  readonly store: Pick<CommentStore, 'change' | 'threads'>;
  /** Whether a file, given by its absolute path, can be read. Never rejects. */
  readonly exists: (path: string) => Promise<boolean>;
}

/** Moves comments with files that agents have renamed, and back when such a rename is undone. */
export class FollowedRenames {
  /** Former paths by path. */
  private readonly followed = new Map<string, string>();

  constructor(private readonly deps: FollowedRenamesDeps) {}

  /** `formerPaths`: of the renamed files that are under review, by path. @throws CommentError */
  async follow(formerPaths: ReadonlyMap<string, string>): Promise<void> {
    const undone = [...this.followed].filter(([path, former]) => formerPaths.get(path) !== former);
    for (const [path, former] of undone) {
      this.followed.delete(path);
      await this.move(path, former);
    }
    for (const [path, former] of formerPaths) {
      if (await this.move(former, path)) this.followed.set(path, former);
    }
  }

  /** Resolves to whether there were comments to move. */
  private async move(from: string, to: string): Promise<boolean> {
    const { exists, store } = this.deps;
    if (!store.threads.some(({ path }) => path === from)) return false;
    if ((await exists(from)) || !(await exists(to))) return false;
    await store.change(moveFiles((path) => (path === from ? to : undefined)));
    return true;
  }
}
