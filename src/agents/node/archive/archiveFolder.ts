import { mkdir, open } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../../../base/common/errors';
import { safeArchivePath } from '../../common/install/archivePath';
import { cancelledError, diskError, InstallError } from '../../common/install/installError';

export interface ArchiveLimits {
  readonly maxEntries: number;
  /** Maximum size of all unpacked files together. */
  readonly maxBytes: number;
}

export const defaultArchiveLimits: ArchiveLimits = { maxEntries: 100_000, maxBytes: 4 * 1024 ** 3 };

/** The type of an archive entry. Only files and folders are accepted. */
export type ArchiveEntryType = 'file' | 'folder' | 'link' | 'device';

/** Writes the entries of an archive into a new folder, and nothing outside it. */
export class ArchiveFolder {
  private entryCount = 0;
  private unpackedBytes = 0;
  private readonly createdFolders = new Set<string>();

  constructor(
    private readonly folder: string,
    private readonly signal: AbortSignal,
    private readonly limits: ArchiveLimits = defaultArchiveLimits,
  ) {}

  /** Checks an entry and returns its path below the folder. @throws InstallError if it is refused */
  admit(name: string, type: ArchiveEntryType): readonly string[] {
    if (this.signal.aborted) throw cancelledError();
    if (++this.entryCount > this.limits.maxEntries) throw unsafe(`more than ${this.limits.maxEntries} files`);
    if (type === 'link') throw unsafe('a link');
    if (type === 'device') throw unsafe('a device');
    const parts = safeArchivePath(name);
    if (!parts) throw unsafe('a path that leaves its folder');
    return parts;
  }

  /** @throws InstallError */
  async addFolder(parts: readonly string[]): Promise<void> {
    const folder = path.join(this.folder, ...parts);
    if (this.createdFolders.has(folder)) return;
    try {
      await mkdir(folder, { recursive: true, mode: 0o755 });
    } catch (error) {
      throw toArchiveError(error);
    }
    this.createdFolders.add(folder);
  }

  /** Writes a new file. @throws InstallError */
  async addFile(parts: readonly string[], isExecutable: boolean, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    if (parts.length === 0) throw unsafe('a file without a name');
    await this.addFolder(parts.slice(0, -1));
    try {
      // The path contains no link, because links are never created.
      const handle = await open(path.join(this.folder, ...parts), 'wx', isExecutable ? 0o755 : 0o644);
      try {
        for await (const chunk of chunks) {
          if (this.signal.aborted) throw cancelledError();
          this.unpackedBytes += chunk.length;
          if (this.unpackedBytes > this.limits.maxBytes) throw archiveBombError();
          for (let written = 0; written < chunk.length;) {
            written += (await handle.write(chunk, written)).bytesWritten;
          }
        }
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw toArchiveError(error);
    }
  }
}

/** Returns an error with the reason why the archive was not used. */
export function toArchiveError(error: unknown): InstallError {
  if (error instanceof InstallError) return error;
  const code = errorCode(error);
  if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR') return unsafe('two files with the same name');
  return (
    diskError(code, error) ?? new InstallError('integrity', 'The archive is damaged.', 'Try again.', { cause: error })
  );
}

/** Returns the error for an archive that unpacks to far more data than its size suggests. */
export function archiveBombError(): InstallError {
  return unsafe('far more data than its size suggests');
}

function unsafe(what: string): InstallError {
  const advice = 'Report this to the agent’s authors.';
  return new InstallError('archiveUnsafe', `The archive contains ${what}, so it was not used.`, advice);
}
