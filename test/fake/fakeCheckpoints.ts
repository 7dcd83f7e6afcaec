import { createHash } from 'node:crypto';
import type { FileState } from '../../src/changes/common/checkpoint';
import type {
  ChangedFile,
  CheckpointedFile,
  CurrentState,
  FileRestore,
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
    const [checkpoint] = folders;
    const before = this.diskAt(checkpoint);
    const now = await this.disk();
    const paths = new Set([...before.keys(), ...now.keys()]);
    return [...paths].flatMap((path) => {
      const change = { path, before: stateOf(before.get(path)), after: stateOf(now.get(path)) };
      return checkpoint && before.get(path) !== now.get(path) ? [{ ...change, checkpoint }] : [];
    });
  }

  textsBefore(files: readonly ChangedFile[]): Promise<ReadonlyMap<string, string | null>> {
    const texts = files.map(({ checkpoint, path }) => [path, this.diskAt(checkpoint).get(path) ?? null] as const);
    return Promise.resolve(new Map(texts));
  }

  async currentStates(files: readonly CheckpointedFile[]): Promise<ReadonlyMap<string, CurrentState>> {
    const now = await this.disk();
    return new Map(files.map(({ path }) => [path, stateOf(now.get(path))]));
  }

  restoreFile({ checkpoint, step: { path } }: FileRestore): Promise<FolderCheckpoint> {
    const text = this.diskAt(checkpoint).get(path);
    if (text === undefined) this.editor.deleteFile(path);
    else this.editor.setFile(path, text);
    return Promise.resolve(checkpoint);
  }

  private diskAt(checkpoint: FolderCheckpoint | undefined): ReadonlyMap<string, string> {
    return this.disks.get(checkpoint?.id ?? '') ?? new Map();
  }

  private async disk(): Promise<ReadonlyMap<string, string>> {
    const paths = await this.editor.glob('**/*');
    return new Map(paths.map((path) => [path, this.editor.diskText(path)]));
  }
}

function stateOf(text: string | undefined): FileState | undefined {
  if (text === undefined) return undefined;
  return { kind: 'file', object: createHash('sha1').update(text).digest('hex'), bytes: Buffer.byteLength(text) };
}
