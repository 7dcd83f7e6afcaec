import { chmod, lstat, open, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import * as path from 'node:path';
import { userMessageOf } from '../../../base/common/errors';
import type { FileKind, FileState } from '../../common/checkpoint';
import { diskFullError, isDiskFull } from '../../common/checkpointError';
import { findMatchingSide, type RestoreStep, type SkippedStep, type MatchingSide } from '../../common/restorePlan';
import { hashFileState } from '../scan/fileStatus';
import { SymlinkInPathError, withHeldFolder } from './withHeldFolder';
import { temporaryRestoreFilePrefix } from '../git/privateRepository';

/** Capabilities of the file system, and Git's object format. */
export interface FileSystemTraits {
  readonly format: 'sha1' | 'sha256';
  readonly tellsExecutable: boolean;
  readonly hasSymlinks: boolean;
  /** Whether each file is synced to disk before it replaces the old file. */
  readonly waitsForDisk: boolean;
}

interface NewFileModes {
  /** Mode with which the file is created, before the umask is applied. */
  readonly initialMode: number;
  /** Mode that is set after the content was written. */
  readonly finalMode: number | undefined;
}

/** Runs single steps of a restore. Each step is atomic. */
export class StepRunner {
  constructor(
    private readonly root: string,
    private readonly journalId: string,
    private readonly fileSystemTraits: FileSystemTraits,
  ) {}

  /** Returns which side of the step the file on disk matches. */
  async findMatchingSide(step: RestoreStep): Promise<MatchingSide> {
    const stand = await this.withFolder(step, false, (folder) =>
      this.findMatchingSideIn(folder, this.toSupportedStep(step)),
    );
    return stand ?? findMatchingSide(step, undefined);
  }

  /** Runs a step. Undefined if it succeeded. `content` is that of `step.after`. @throws CheckpointError `diskFull` */
  async run(step: RestoreStep, number: number, content: Buffer | undefined): Promise<SkippedStep | undefined> {
    const { path: name } = step;
    const plain = this.toSupportedStep(step);
    try {
      const skipped = await this.withFolder(step, plain.after !== undefined, (folder) =>
        this.runInFolder(folder, plain, number, content),
      );
      return skipped ?? undefined;
    } catch (error) {
      if (isDiskFull(error)) throw diskFullError(error);
      if (error instanceof SymlinkInPathError) return { path: name, reason: 'behindLink' };
      return { path: name, reason: 'failed', detail: userMessageOf(error) };
    }
  }

  /** Removes the temporary file that an interrupted step has left. */
  async removeTemporaryFile(step: RestoreStep, number: number): Promise<void> {
    await this.withFolder(step, false, (folder) =>
      rm(path.join(folder, this.temporaryName(number)), { force: true }),
    ).catch(() => undefined);
  }

  /** Removes the empty folder of a deleted file, and its parent folders that are also empty. */
  async removeEmptyFolders(deletedPath: string): Promise<void> {
    const names = deletedPath.split('/').slice(0, -1);
    for (let depth = names.length; depth > 0; depth--) {
      const [name = ''] = names.slice(depth - 1);
      try {
        await withHeldFolder(this.root, names.slice(0, depth - 1), false, (folder) => rmdir(path.join(folder, name)));
      } catch {
        return;
      }
    }
  }

  private async runInFolder(
    folder: string,
    step: RestoreStep,
    number: number,
    content: Buffer | undefined,
  ): Promise<SkippedStep | undefined> {
    const file = path.join(folder, path.posix.basename(step.path));
    const { path: name, before, after } = step;
    if (!before && after) await rmdir(file).catch(() => undefined);
    const stand = await this.findMatchingSideIn(folder, step);
    if (stand === 'after') return undefined;
    if (stand === 'neither') {
      const isFolder = (await lstat(file).catch(() => undefined))?.isDirectory() === true;
      return { path: name, reason: isFolder ? 'inTheWay' : 'changedMeanwhile' };
    }
    if (!after) {
      await unlink(file);
      return undefined;
    }
    if (before?.object === after.object && before.kind !== 'symlink' && after.kind !== 'symlink') {
      await chmod(file, modeFor(after.kind, (await lstat(file)).mode & 0o777));
      return undefined;
    }
    if (!content) return { path: name, reason: 'contentMissing' };
    return await this.replaceFile(folder, step, after, number, content);
  }

  /** Writes the new file next to the old one, then renames it. */
  private async replaceFile(
    folder: string,
    step: RestoreStep,
    after: FileState,
    number: number,
    content: Buffer,
  ): Promise<SkippedStep | undefined> {
    const file = path.join(folder, path.posix.basename(step.path));
    const made = path.join(folder, this.temporaryName(number));
    await rm(made, { force: true });
    try {
      if (after.kind === 'symlink') await symlink(content, made);
      else await this.writeNewFile(made, content, await this.modeForReplacement(file, after.kind));
      // The file may have changed while the new content was written.
      if ((await this.findMatchingSideIn(folder, step)) !== 'before')
        return { path: step.path, reason: 'changedMeanwhile' };
      await rename(made, file);
      return undefined;
    } finally {
      await rm(made, { force: true });
    }
  }

  private async writeNewFile(file: string, content: Buffer, { initialMode, finalMode }: NewFileModes): Promise<void> {
    const handle = await open(file, 'wx', initialMode);
    try {
      await handle.writeFile(content);
      if (finalMode !== undefined) await handle.chmod(finalMode);
      if (this.fileSystemTraits.waitsForDisk) await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  /** Returns the permissions for a file: those of the file that it replaces, or else the default of the system. */
  private async modeForReplacement(file: string, kind: FileKind): Promise<NewFileModes> {
    const info = await lstat(file).catch(() => undefined);
    if (info?.isFile()) return { initialMode: 0o600, finalMode: modeFor(kind, info.mode & 0o777) };
    return { initialMode: kind === 'executable' ? 0o777 : 0o666, finalMode: undefined };
  }

  private async findMatchingSideIn(folder: string, step: RestoreStep): Promise<MatchingSide> {
    const { format, tellsExecutable } = this.fileSystemTraits;
    const found = await hashFileState(path.join(folder, path.posix.basename(step.path)), format, tellsExecutable);
    return found === 'other' ? 'neither' : findMatchingSide(step, found);
  }

  private async withFolder<T>(
    step: RestoreStep,
    createsMissing: boolean,
    work: (folder: string) => Promise<T>,
  ): Promise<T | undefined> {
    return await withHeldFolder(this.root, step.path.split('/').slice(0, -1), createsMissing, work);
  }

  private toSupportedStep({ path: name, before, after }: RestoreStep): RestoreStep {
    return { path: name, before: this.toSupportedState(before), after: this.toSupportedState(after) };
  }

  private toSupportedState(state: FileState | undefined): FileState | undefined {
    if (!state) return undefined;
    const { tellsExecutable, hasSymlinks } = this.fileSystemTraits;
    const isFile = (state.kind === 'executable' && !tellsExecutable) || (state.kind === 'symlink' && !hasSymlinks);
    return isFile ? { ...state, kind: 'file' } : state;
  }

  private temporaryName(number: number): string {
    return `${temporaryRestoreFilePrefix}${this.journalId}-${number}`;
  }
}

/** Sets the executable permission for everyone who has the read permission, or removes it for everyone. */
function modeFor(kind: FileKind, mode: number): number {
  return kind === 'executable' ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}
