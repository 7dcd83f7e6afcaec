import type {
  ChangedFile,
  FolderCheckpoint,
  TakenCheckpoint,
  WorkspaceCheckpoints,
} from '../../src/changes/common/workspaceCheckpoints';
import type { FakeEditor } from './fakeEditor';

/** Checkpoints of a fake editor's disk. */
export class FakeCheckpoints implements WorkspaceCheckpoints {
  readonly taken: string[] = [];
  problems: readonly string[] = [];
  uncovered: readonly string[] = [];
  /** Awaited while one is taken. */
  beforeTaking: () => Promise<void> = () => Promise.resolve();
  private readonly disks = new Map<string, ReadonlyMap<string, string>>();

  constructor(private readonly editor: FakeEditor) {}

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  async take(label: string): Promise<TakenCheckpoint> {
    await this.beforeTaking();
    this.taken.push(label);
    const { problems, uncovered } = this;
    if (problems.length > 0) return { folders: [], problems, uncovered };
    const id = String(this.taken.length);
    this.disks.set(id, await this.disk());
    return { folders: [{ folder: '/ws', id }], problems, uncovered };
  }

  async changedSince(folders: readonly FolderCheckpoint[]): Promise<readonly ChangedFile[]> {
    const before = this.diskAt(folders);
    const now = await this.disk();
    const paths = new Set([...before.keys(), ...now.keys()]);
    return [...paths].filter((path) => before.get(path) !== now.get(path)).map((path) => ({ path, isBinary: false }));
  }

  textAt(folders: readonly FolderCheckpoint[], path: string): Promise<string | null> {
    return Promise.resolve(this.diskAt(folders).get(path) ?? null);
  }

  private diskAt([place]: readonly FolderCheckpoint[]): ReadonlyMap<string, string> {
    return this.disks.get(place?.id ?? '') ?? new Map();
  }

  private async disk(): Promise<ReadonlyMap<string, string>> {
    const paths = await this.editor.glob('**/*');
    return new Map(paths.map((path) => [path, this.editor.diskText(path)]));
  }
}
