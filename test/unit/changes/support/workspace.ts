import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import type { CheckpointDetails } from '../../../../src/changes/common/checkpoint';
import { CheckpointError } from '../../../../src/changes/common/checkpointError';
import {
  openCheckpointStore,
  type CheckpointStore,
  type CheckpointStoreOptions,
} from '../../../../src/changes/node/checkpointStore';

/** For tests that are not about the time that checkpoints may take, on a machine of any speed. */
export const patientScans = { maxMs: 10 * 60_000 };

/** A folder with real files, a place for checkpoints beside it, and real Git. Dispose it. */
export class TestWorkspace {
  readonly root = realpathSync(mkdtempSync(path.join(tmpdir(), 'backline-changes-')));
  readonly folder = path.join(this.root, 'workspace');
  readonly storage = path.join(this.root, 'storage');
  private readonly stores: CheckpointStore[] = [];

  constructor() {
    mkdirSync(this.folder);
  }

  file(name: string): string {
    return path.join(this.folder, name);
  }

  write(files: Readonly<Record<string, string | Uint8Array>>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(path.dirname(this.file(name)), { recursive: true });
      writeFileSync(this.file(name), content);
    }
  }

  remove(...names: string[]): void {
    for (const name of names) rmSync(this.file(name), { recursive: true });
  }

  read(name: string): string {
    return readFileSync(this.file(name), 'utf8');
  }

  /** The user's own Git. */
  git(...args: string[]): string {
    return gitIn(this.folder, ...args);
  }

  /** A repository with everything that is in the folder in its first commit. */
  commitAll(): void {
    this.git('init', '-q', '-b', 'main');
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', 'first');
  }

  async open(options: Partial<CheckpointStoreOptions> = {}): Promise<CheckpointStore> {
    const { folder, storage } = this;
    const opened = await openCheckpointStore({
      folder,
      storage,
      excludes: () => false,
      logger: nullLogger,
      ...options,
      limits: { ...patientScans, ...options.limits },
    });
    if (opened.kind !== 'open') throw new Error(opened.message);
    this.stores.push(opened.store);
    return opened.store;
  }

  async dispose(): Promise<void> {
    for (const store of this.stores) await store.stop();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function gitIn(folder: string, ...args: string[]): string {
  const env: Record<string, string | undefined> = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'User',
    GIT_AUTHOR_EMAIL: 'user@example.com',
    GIT_COMMITTER_NAME: 'User',
    GIT_COMMITTER_EMAIL: 'user@example.com',
  };
  return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** @throws Error when it is refused */
export async function taken(store: CheckpointStore, label = 'a prompt', series?: string): Promise<CheckpointDetails> {
  const result = await store.take(label, undefined, { series });
  if (result.kind === 'refused') throw result.error;
  return result.checkpoint;
}

export async function textAt(store: CheckpointStore, id: string, path: string): Promise<string | undefined> {
  return (await contentAt(store, id, path))?.toString();
}

/** The contents of a file, or the target of a symbolic link. Undefined if the file did not exist. @throws CheckpointError */
export async function contentAt(store: CheckpointStore, id: string, path: string): Promise<Buffer | undefined> {
  const state = await store.stateAt(id, path);
  if (!state) return undefined;
  const content = (await store.contents([state.object])).get(state.object);
  if (!content) throw new CheckpointError('contentMissing', 'The content no longer exists.');
  return content;
}

/** Every file below with its kind, mode and content: two are equal when the folders are, byte for byte. */
export function contentsOf(folder: string, skip: (name: string) => boolean = () => false): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (skip(entry)) continue;
    const place = path.join(folder, entry);
    const info = lstatSync(place);
    if (info.isSymbolicLink()) found[entry] = `link ${readlinkSync(place)}`;
    else if (info.isFile()) {
      const hash = createHash('sha1').update(readFileSync(place)).digest('hex');
      found[entry] = `${(info.mode & 0o777).toString(8)} ${hash}`;
    }
  }
  return found;
}

/** As `contentsOf`, with the times: nothing has been written when it is the same. */
export function writesIn(folder: string): Record<string, string> {
  const found = contentsOf(folder);
  for (const name of Object.keys(found)) {
    found[name] = `${found[name] ?? ''} ${lstatSync(path.join(folder, name), { bigint: true }).mtimeNs}`;
  }
  return found;
}
