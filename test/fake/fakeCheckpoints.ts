import { createHash } from 'node:crypto';
import type { FileState } from '../../src/changes/common/checkpoint';
import type {
  ChangedFile,
  CheckpointedFile,
  CurrentFileState,
  FileRestore,
  ChangesSinceCheckpoints,
  FolderCheckpoint,
  InterruptedRestore,
  RestoreChange,
  RestoreOutcome,
  RestorePreview,
  ResumeDirection,
  ResumeOutcome,
  SkippedFile,
  TakenCheckpoint,
  TakeOptions,
  WorkspaceCheckpoints,
} from '../../src/changes/common/workspaceCheckpoints';
import type { GitMove } from '../../src/changes/common/gitHead';
import { CheckpointError } from '../../src/changes/common/checkpointError';
import type { FakeEditor } from './fakeEditor';

/** Checkpoints of a fake editor's disk. */
export class FakeCheckpoints implements WorkspaceCheckpoints {
  readonly taken: string[] = [];
  problems: readonly string[] = [];
  uncovered: readonly string[] = [];
  /** The number of scans for changes. */
  scans = 0;
  /** How the next scans for changes fail, one after another. */
  readonly scanFailures: ('problem' | 'error')[] = [];
  /** Awaited while one is taken. */
  beforeTaking: () => Promise<void> = () => Promise.resolve();
  /** Paths that no checkpoint contains. */
  readonly ignored = new Set<string>();
  /** Files that no checkpoint contains, for example because they are too large. */
  readonly excluded = new Set<string>();
  /** Paths that a restore skips. */
  readonly unrestorable = new Set<string>();
  /** A restore that was cut off. */
  cutOff: InterruptedRestore | undefined;
  /** The next restore stops after so many files and never ends, as if the process was killed. */
  killAfter: number | undefined;
  private journal: (() => ResumeOutcome) | undefined;
  readonly resumed: ResumeDirection[] = [];
  private readonly targetOf = new WeakMap<RestorePreview, ReadonlyMap<string, string>>();
  private readonly foldersOf = new WeakMap<RestorePreview, readonly FolderCheckpoint[]>();
  private readonly leftOut = new Map<string, readonly string[]>();
  private readonly disks = new Map<string, ReadonlyMap<string, string>>();

  constructor(private readonly editor: FakeEditor) {}

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  async take(label: string, _signal?: AbortSignal, { files = [] }: TakeOptions = {}): Promise<TakenCheckpoint> {
    await this.beforeTaking();
    this.taken.push(label);
    const { problems, uncovered } = this;
    if (problems.length > 0) return { folders: [], problems, uncovered };
    const id = String(this.taken.length);
    const disk = await this.disk();
    this.leftOut.set(
      id,
      [...disk.keys()].filter((path) => this.excluded.has(path) || this.ignored.has(path)),
    );
    this.disks.set(
      id,
      new Map(
        [...disk].filter(([path]) => !this.excluded.has(path) && (!this.ignored.has(path) || files.includes(path))),
      ),
    );
    return { folders: [{ folder: '/ws', id }], problems, uncovered };
  }

  async changesSince(folders: readonly FolderCheckpoint[], findsGone = false): Promise<ChangesSinceCheckpoints> {
    this.scans++;
    const failure = this.scanFailures.shift();
    if (failure === 'error') throw new Error('The disk is full.');
    if (failure === 'problem') return { files: [], gone: [], problems: ['The disk is full.'] };
    const [checkpoint] = folders;
    const before = this.diskAt(checkpoint);
    const now = await this.disk();
    const paths = new Set([...before.keys(), ...now.keys()].filter((path) => !this.ignored.has(path)));
    const files = [...paths].flatMap((path) => {
      const change = { path, before: stateOf(before.get(path)), after: stateOf(now.get(path)) };
      return checkpoint && before.get(path) !== now.get(path) ? [{ ...change, checkpoint }] : [];
    });
    const leftOut = findsGone ? this.leftOut.get(checkpoint?.id ?? '') : undefined;
    const gone = (leftOut ?? []).filter((path) => !now.has(path));
    return { files, gone, problems: [] };
  }

  textsBefore(files: readonly ChangedFile[]): Promise<ReadonlyMap<string, string | null>> {
    const texts = files.map(({ checkpoint, path }) => [path, this.diskAt(checkpoint).get(path) ?? null] as const);
    return Promise.resolve(new Map(texts));
  }

  stateAt({ checkpoint, path }: CheckpointedFile): Promise<FileState | undefined> {
    return Promise.resolve(stateOf(this.diskAt(checkpoint).get(path)));
  }

  async currentStates(files: readonly CheckpointedFile[]): Promise<ReadonlyMap<string, CurrentFileState>> {
    const now = await this.disk();
    return new Map(files.map(({ path }) => [path, stateOf(now.get(path))]));
  }

  restoreFile({ checkpoint, step: { path } }: FileRestore): Promise<FolderCheckpoint> {
    const text = this.diskAt(checkpoint).get(path);
    if (text === undefined) this.editor.deleteFile(path);
    else this.editor.setFile(path, text);
    return Promise.resolve(checkpoint);
  }

  /** Removes all checkpoints, as pruning does. */
  forget(): void {
    this.disks.clear();
  }

  async planRestore(folders: readonly FolderCheckpoint[]): Promise<RestorePreview> {
    if (!this.disks.has(folders[0]?.id ?? '')) {
      throw new CheckpointError('unknownCheckpoint', 'This checkpoint no longer exists.');
    }
    const target = this.diskAt(folders[0]);
    const now = await this.disk();
    const changes = (await this.changesSince(folders)).files.map(({ before, path }): RestoreChange => {
      const change = !target.has(path) ? 'deleted' : now.has(path) ? 'modified' : 'created';
      return { path, change, kind: 'file', after: before };
    });
    const preview = { changes, leftOut: this.uncovered, gitMoves: [] };
    this.targetOf.set(preview, target);
    this.foldersOf.set(preview, folders);
    return preview;
  }

  textAfterRestore(preview: RestorePreview, path: string): Promise<string | null> {
    return Promise.resolve(this.targetOf.get(preview)?.get(path) ?? null);
  }

  async restore(
    preview: RestorePreview,
    paths: readonly string[],
    label: string,
    _signal?: AbortSignal,
    request?: string,
  ): Promise<RestoreOutcome> {
    const { killAfter } = this;
    this.killAfter = undefined;
    if (killAfter !== undefined) {
      const done = await this.restore(preview, paths.slice(0, killAfter), label);
      const { undo } = done;
      this.cutOff = { restored: killAfter, total: paths.length };
      this.journal = () => {
        this.write(this.targetOf.get(preview), paths.slice(killAfter));
        return { restored: paths, skipped: [], undo, target: this.foldersOf.get(preview) ?? [], request };
      };
      return await new Promise<never>(() => undefined);
    }
    const target = this.targetOf.get(preview);
    const { folders: undo } = await this.take(label);
    const restored: string[] = [];
    const skipped: SkippedFile[] = [];
    for (const path of paths) {
      if (this.unrestorable.has(path)) {
        skipped.push({ path, reason: 'It was changed in the meantime.' });
        continue;
      }
      this.write(target, [path]);
      restored.push(path);
    }
    return { undo, restored, skipped };
  }

  gitMovesSince(): Promise<readonly GitMove[]> {
    return Promise.resolve([]);
  }

  adopt(): Promise<void> {
    return Promise.resolve();
  }

  findInterruptedRestore(): Promise<InterruptedRestore | undefined> {
    return Promise.resolve(this.cutOff);
  }

  resume(direction: ResumeDirection): Promise<ResumeOutcome> {
    this.resumed.push(direction);
    this.cutOff = undefined;
    const outcome = this.journal?.();
    this.journal = undefined;
    return Promise.resolve(outcome ?? { restored: [], skipped: [], undo: [], target: [], request: undefined });
  }

  private write(target: ReadonlyMap<string, string> | undefined, paths: readonly string[]): void {
    for (const path of paths) {
      const text = target?.get(path);
      if (text === undefined) this.editor.deleteFile(path);
      else this.editor.setFile(path, text);
    }
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
