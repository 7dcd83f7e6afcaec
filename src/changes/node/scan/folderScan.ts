import { randomUUID } from 'node:crypto';
import { rename, rm, stat, utimes } from 'node:fs/promises';
import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { splitIntoBatches } from '../../../base/common/lists';
import type { CheckpointScanLimits, CheckpointScope, LeftOutItem, LeftOutReason } from '../../common/checkpoint';
import { CheckpointError } from '../../common/checkpointError';
import type { GitHead } from '../../common/gitHead';
import { isValidUtf8Name, joinNul, splitNul } from '../../common/nameList';
import { TreeWriter } from './treeWriter';
import { existsInFolder, mapConcurrently, readFileStatus, type FileStatus } from './fileStatus';
import { findGrowing, smallFileBytes } from './growingFiles';
import { nameOfUnreadableFile, unreadableFolders } from './gitMessages';
import { findIgnored } from '../git/ignoreRules';
import { copyIndex, setIndexTime } from '../git/indexFile';
import { GitFailure, type PrivateRepository } from '../git/privateRepository';

/** The result of a scan of the folder. */
export interface ScannedFolderTree {
  /** Git's object id of the folder's tree. */
  readonly tree: string;
  readonly leftOut: readonly LeftOutItem[];
  /** Time before the scan, in milliseconds of the file system's clock. */
  readonly scannedAt: number;
}

/** A scanned folder, and what its checkpoint does not contain. */
export type ScopedFolderTree = ScannedFolderTree & {
  readonly scope: CheckpointScope;
  readonly git: GitHead | undefined;
};

interface ScanRules {
  /** Whether `backline.exclude` matches a file, given by its absolute path and its path relative to the folder. */
  readonly excludes: (path: string, relativePath: string) => boolean;
  readonly limits: CheckpointScanLimits;
  /** Path of the index of the user's repository. Files tracked in it are not ignored. */
  readonly userIndex: string | undefined;
}

interface FoundChanges {
  /** Files that may be modified. Git has to compare their contents, because timestamps are not reliable. */
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  readonly added: readonly string[];
  readonly leftOut: readonly LeftOutItem[];
}

interface IndexUpdate {
  readonly take: readonly (FileStatus & { readonly bytes: number })[];
  /** Paths to remove from the index. */
  readonly remove: readonly string[];
  readonly leftOut: readonly LeftOutItem[];
}

/** Coarsest resolution of timestamps in common file systems. */
const timeStepMs = 2_000;
const manyFiles = 200;
const batchFiles = 5_000;
const batchBytes = 128 * 1024 * 1024;
/** Maximum number of unreadable files that are left out individually. */
const mostFailures = 20;

/** Scans a folder with Backline's own Git index, so that only files changed since the last scan are read. */
export class FolderScan {
  private knownLeftOut: readonly LeftOutItem[] = [];
  private readonly trees: TreeWriter;

  constructor(
    private readonly repository: PrivateRepository,
    objectFormat: 'sha1' | 'sha256',
    private readonly rules: ScanRules,
  ) {
    this.trees = new TreeWriter(repository, objectFormat);
  }

  /** Sets the items that the last scan left out, so that they do not count as deleted. */
  setKnownLeftOut(leftOut: readonly LeftOutItem[]): void {
    this.knownLeftOut = leftOut;
  }

  /**
   * Scans the folder. `hasTrees`: the index is a copy of the user's index, and the user's repository contains all its
   * trees. @throws CheckpointError
   */
  async scan(signal: AbortSignal, hasTrees: boolean): Promise<ScannedFolderTree> {
    const { index } = this.repository;
    const startMs = (await this.repository.readFileSystemTime()) - timeStepMs;
    await this.backdateFutureIndex(startMs);
    const found = await this.findChanges(index, signal);
    const isUnchanged = found.modified.length + found.deleted.length + found.added.length === 0;
    const known = isUnchanged ? await this.trees.cachedTreeOf(index) : undefined;
    if (known === undefined) return await this.captureChanges(found, startMs, signal, isUnchanged && hasTrees);
    await setIndexTime(index, startMs);
    return await this.createCapture(known, found.leftOut, startMs, signal);
  }

  /**
   * Stores the present contents of files, also of ignored ones and of those that only the user's repository has. Returns
   * the tree of the last scan with these files. Files that cannot be read are not in it.
   */
  async addFiles(names: readonly string[], signal: AbortSignal): Promise<string> {
    const { index } = this.repository;
    const copy = `${index}-${randomUUID()}`;
    try {
      await copyIndex(index, copy);
      // Git stores only contents that the index does not have yet.
      const args = ['update-index', '-z', '--force-remove', '--stdin'];
      await this.repository.run({ args, index: copy, input: joinNul(names), signal });
      const failed = new Set<string>();
      for (const batch of splitIntoBatches(names, () => 0, { maxItems: batchFiles, maxBytes: batchBytes })) {
        await this.addBatch(copy, batch, failed, signal);
      }
      return await this.trees.write(copy, signal, false);
    } finally {
      await rm(copy, { force: true });
      await rm(`${copy}.lock`, { force: true });
    }
  }

  private async captureChanges(
    found: FoundChanges,
    startMs: number,
    signal: AbortSignal,
    hasTrees: boolean,
  ): Promise<ScannedFolderTree> {
    const { index } = this.repository;
    // Git writes to a copy, so that the index stays valid after a failure and another window does not wait for a lock.
    const copy = `${index}-${randomUUID()}`;
    try {
      await copyIndex(index, copy);
      const leftOut = new Map(found.leftOut.map((item) => [item.path, item]));
      const refreshed = await this.refreshTimes(copy, found, signal);
      const changing = await this.updateUntilSettled(copy, refreshed, startMs, leftOut, signal);
      for (const name of changing) leftOut.set(name, { path: name, reason: 'unreadable' });
      const tree =
        changing.length === 0
          ? await this.trees.write(copy, signal, hasTrees)
          : await this.writeTreeWithout(changing, copy, signal);
      return await this.createCapture(tree, [...leftOut.values()], startMs, signal);
    } finally {
      // This also runs after a failure, so that files that were already read are not read again.
      if (await setIndexTime(copy, startMs)) await rename(copy, index).catch(() => rm(copy, { force: true }));
      await rm(`${copy}.lock`, { force: true });
    }
  }

  /** Writes the tree of an index without some files. The index still has what was read of them. */
  private async writeTreeWithout(names: readonly string[], index: string, signal: AbortSignal): Promise<string> {
    const copy = `${index}-still`;
    try {
      await copyIndex(index, copy);
      const args = ['update-index', '-z', '--force-remove', '--stdin'];
      await this.repository.run({ args, index: copy, input: joinNul(names), signal });
      return await this.trees.write(copy, signal, false);
    } finally {
      await rm(copy, { force: true });
      await rm(`${copy}.lock`, { force: true });
    }
  }

  /**
   * Updates timestamps in the index without storing contents, for files whose timestamps are the only change, for
   * example after the folder was copied.
   */
  private async refreshTimes(copy: string, found: FoundChanges, signal: AbortSignal): Promise<FoundChanges> {
    if (found.modified.length < manyFiles) return found;
    const args = ['update-index', '-q', '--refresh'];
    await this.repository.run({ args, index: copy, signal, allowedCodes: [0, 1] });
    return { ...found, ...(await this.findIndexedChanges(copy, signal)) };
  }

  /**
   * Reads changed files. Returns those that change while they are read: nobody knows which moment their contents are of. A
   * small one is read again. A large one that is being written is not read.
   */
  private async updateUntilSettled(
    copy: string,
    first: FoundChanges,
    startMs: number,
    leftOut: Map<string, LeftOutItem>,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const changing = new Set<string>();
    let found = first;
    for (let isAgain = false; ; isAgain = true) {
      const sorted = await this.selectFiles(found, signal);
      const growing = await findGrowing(this.repository.place.folder, sorted.take, startMs, signal);
      for (const name of growing) changing.add(name);
      const update = { ...sorted, take: sorted.take.filter(({ path: name }) => !changing.has(name)) };
      for (const item of sorted.leftOut) leftOut.set(item.path, item);
      for (const item of await this.updateIndex(copy, update, startMs, signal)) leftOut.set(item.path, item);
      if (update.take.length === 0) return [...changing];
      const isOpen = (name: string): boolean => !leftOut.has(name) && !changing.has(name);
      const { modified, deleted } = await this.findIndexedChanges(copy, signal);
      const small = new Set(update.take.flatMap(({ bytes, path: name }) => (bytes <= smallFileBytes ? [name] : [])));
      const isReadAgain = (name: string): boolean => !isAgain && small.has(name);
      const left = { modified: modified.filter(isOpen), deleted: deleted.filter(isOpen) };
      for (const name of left.modified) if (!isReadAgain(name)) changing.add(name);
      found = { modified: left.modified.filter(isReadAgain), deleted: left.deleted, added: [], leftOut: [] };
      if (found.modified.length + found.deleted.length === 0) return [...changing];
    }
  }

  private async findChanges(index: string, signal: AbortSignal): Promise<FoundChanges> {
    const others = ['ls-files', '-z', '--others', '--exclude-standard'];
    const [indexed, { output, errors }] = await Promise.all([
      this.findIndexedChanges(index, signal),
      this.repository.run({ args: others, index, signal }),
    ]);
    const leftOut = unreadableFolders(errors);
    const added: string[] = [];
    for (const name of splitNul(output)) {
      if (name.endsWith('/')) leftOut.push({ path: name, reason: 'nestedRepository' });
      else if (isValidUtf8Name(name)) added.push(name);
      else leftOut.push({ path: name, reason: 'nameNotText' });
    }
    return { ...indexed, added, leftOut };
  }

  private async findIndexedChanges(
    index: string,
    signal: AbortSignal,
  ): Promise<Omit<FoundChanges, 'added' | 'leftOut'>> {
    const args = [
      'diff-files',
      '-z',
      '--name-status',
      '--no-renames',
      '--no-ext-diff',
      '--ignore-submodules=all',
      '--relative',
    ];
    const items = await this.repository.runForItems({ args, index, signal });
    const modified: string[] = [];
    const deleted: string[] = [];
    for (let at = 0; at + 1 < items.length; at += 2) (items[at] === 'D' ? deleted : modified).push(items[at + 1] ?? '');
    return { modified, deleted };
  }

  /** Decides which files to read and which to leave out. @throws CheckpointError `tooLarge` */
  private async selectFiles({ modified, deleted, added }: FoundChanges, signal: AbortSignal): Promise<IndexUpdate> {
    const { limits } = this.rules;
    const leftOut: LeftOutItem[] = [];
    const remove = [...deleted];
    const indexed = new Set(modified);
    const drop = (name: string, reason?: LeftOutReason, bytes?: number): void => {
      if (indexed.has(name)) remove.push(name);
      if (reason) leftOut.push({ path: name, reason, bytes });
    };
    const ignored = await this.findIgnoredFiles(modified, signal);
    const wanted: string[] = [];
    for (const [at, name] of [...modified, ...added].entries()) {
      if (at % 500 === 499) await nextTurn(signal);
      if (ignored.has(name)) drop(name, 'ignored');
      else if (this.isExcluded(name)) drop(name, 'excluded');
      else wanted.push(name);
    }
    if (wanted.length > limits.maxNewFiles) throw tooLarge(`${wanted.length} files`);
    const looks = await mapConcurrently(wanted, (name) => readFileStatus(this.repository.place.folder, name), signal);
    const take: IndexUpdate['take'][number][] = [];
    let bytes = 0;
    for (const look of looks) {
      if (!('bytes' in look)) drop(look.path, look.kind === 'missing' ? undefined : look.kind);
      else if (look.bytes > limits.maxFileBytes) drop(look.path, 'tooLarge', look.bytes);
      else {
        take.push(look);
        bytes += look.bytes;
      }
    }
    if (bytes > limits.maxNewBytes) throw tooLarge(`${Math.round(bytes / 1e6)} MB`);
    return { take, remove, leftOut };
  }

  private isExcluded(name: string): boolean {
    return this.rules.excludes(path.join(this.repository.place.folder, name), name);
  }

  /** Returns files in the index that are now ignored and that the user's repository does not track. */
  private async findIgnoredFiles(modified: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (modified.length === 0) return new Set();
    try {
      return await findIgnored(this.repository, modified, this.rules.userIndex, signal);
    } catch (error) {
      // Git can't read a split index from another repository.
      if (error instanceof GitFailure) return await findIgnored(this.repository, modified, undefined, signal);
      throw error;
    }
  }

  /** Adds files to the index. Returns the files that could not be read. */
  private async updateIndex(
    index: string,
    { take, remove }: IndexUpdate,
    startMs: number,
    signal: AbortSignal,
  ): Promise<readonly LeftOutItem[]> {
    const prefixed = ['update-index', '-z'];
    if (remove.length > 0) {
      const args = [...prefixed, '--force-remove', '--stdin'];
      await this.repository.run({ args, index, input: joinNul(remove), signal });
    }
    const failed = new Set<string>();
    for (const batch of splitIntoBatches(take, ({ bytes }) => bytes, { maxItems: batchFiles, maxBytes: batchBytes })) {
      const names = batch.map(({ path: name }) => name);
      await this.addBatch(index, names, failed, signal);
    }
    // A file that is written twice within the resolution of timestamps keeps its timestamp, so the index is dated
    // before the scan started.
    await setIndexTime(index, startMs);
    return [...failed].map((name) => ({ path: name, reason: 'unreadable' }));
  }

  private async addBatch(
    index: string,
    batch: readonly string[],
    failed: Set<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
    for (;;) {
      const input = joinNul(batch.filter((name) => !failed.has(name)));
      try {
        const isMany = batch.length >= manyFiles && this.repository.packsNewFiles;
        await this.repository.run({ args, index, input, signal, ...(isMany && { env: inOnePack }) });
        return;
      } catch (error) {
        const name =
          error instanceof GitFailure ? nameOfUnreadableFile(error.errors, this.repository.folderPrefix) : undefined;
        if (name === undefined || failed.has(name) || failed.size === mostFailures) throw error;
        failed.add(name);
      }
    }
  }

  private async createCapture(
    tree: string,
    leftOut: readonly LeftOutItem[],
    scannedAt: number,
    signal: AbortSignal,
  ): Promise<ScannedFolderTree> {
    const listed = new Set(leftOut.map((item) => item.path));
    // Folders are not kept, because each scan finds the folders that are left out.
    const before = this.knownLeftOut.filter((item) => !listed.has(item.path) && !item.path.endsWith('/'));
    const folder = this.repository.place.folder;
    const there = await mapConcurrently(
      before,
      async (item) => ((await existsInFolder(folder, item.path)) ? [item] : []),
      signal,
    );
    const stillOut = await this.itemsOutsideTree(tree, there.flat(), signal);
    this.knownLeftOut = [...leftOut, ...stillOut];
    return { tree, leftOut: this.knownLeftOut, scannedAt };
  }

  private async itemsOutsideTree(
    tree: string,
    items: readonly LeftOutItem[],
    signal: AbortSignal,
  ): Promise<LeftOutItem[]> {
    if (items.length === 0) return [];
    const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree];
    const inside = new Set(await this.repository.runForItems({ args, signal, withUserObjects: true }));
    return items.filter((item) => !inside.has(item.path));
  }

  /** After the system clock was set back, timestamps are unreliable, so Git compares all contents once. */
  private async backdateFutureIndex(startMs: number): Promise<void> {
    const { index } = this.repository;
    const info = await stat(index).catch(() => undefined);
    if (info && info.mtimeMs > startMs + timeStepMs) await utimes(index, 1, 1);
  }
}

/** Options that make Git write files into one pack: writing thousands of object files takes many seconds. */
const inOnePack = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_1: 'core.bigFileThreshold',
  GIT_CONFIG_VALUE_1: '0',
};

function tooLarge(amount: string): CheckpointError {
  return new CheckpointError(
    'tooLarge',
    `The folder has ${amount} to store, which is too much. Add large generated folders to .gitignore.`,
  );
}

async function nextTurn(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}
