import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorCode, messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { isRecentlyWritten } from '../../common/model/threadState';
import { isSameFileVersion, type FileVersionKey } from '../../../texts/node/files/fileKey';
import { decodeHeads } from '../files/headDecoder';
import { headFileName, type StoredHead } from '../files/headFile';

/** Maximum time for which decoding may block the extension host at once, in milliseconds. */
const sliceMs = 4;

/** The known heads of thread files. */
export class HeadCache {
  private readonly headByPath = new Map<string, StoredHead>();

  constructor(
    private readonly folder: string,
    private readonly log: Logger,
  ) {}

  /** Loads the index file, with pauses for other work. Ignores an invalid file. */
  async load(): Promise<void> {
    try {
      const content = await readFile(path.join(this.folder, headFileName));
      let sliceEnd = performance.now() + sliceMs;
      for (const stored of decodeHeads(content)) {
        this.headByPath.set(stored.file.path, stored);
        if (performance.now() < sliceEnd) continue;
        await setImmediate();
        sliceEnd = performance.now() + sliceMs;
      }
    } catch (error) {
      this.headByPath.clear();
      if (errorCode(error) !== 'ENOENT') this.log.warn(`Rebuilding the thread index: ${messageOf(error)}`);
    }
  }

  get(file: FileVersionKey): StoredHead | undefined {
    return this.headByPath.get(file.path);
  }

  set(stored: StoredHead): void {
    this.headByPath.set(stored.file.path, stored);
  }

  delete(file: string): void {
    this.headByPath.delete(file);
  }

  /** Whether the cached head is still valid: the file is unchanged and the thread has not become stale. */
  isHeadCurrent(file: FileVersionKey, nowMs: number): boolean {
    const stored = this.headByPath.get(file.path);
    if (!stored || !isSameFileVersion(stored.file, file)) return false;
    return stored.head?.state !== 'running' || isRecentlyWritten(file.mtimeMs, nowMs);
  }

  /** Returns the cached paths in these folders that are not in `files`. */
  findGonePaths(folders: ReadonlySet<string>, files: readonly FileVersionKey[]): readonly string[] {
    const present = new Set(files.map((file) => file.path));
    return [...this.headByPath.keys()].filter((file) => !present.has(file) && folders.has(path.dirname(file)));
  }
}
