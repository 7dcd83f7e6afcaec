import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorCode, messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { isFresh } from '../../common/model/threadState';
import { isSameFile, type FileKey } from '../files/fileKey';
import { decodeHeads } from '../files/headDecoder';
import { headFileName, type StoredHead } from '../files/headFile';

/** For so long the host may be busy with it at a time. */
const sliceMs = 4;

/** What is known of files without reading them. */
export class HeadCache {
  private readonly heads = new Map<string, StoredHead>();

  constructor(
    private readonly folder: string,
    private readonly log: Logger,
  ) {}

  /** From disk, in slices; an index that cannot be used is as none. */
  async load(): Promise<void> {
    try {
      const content = await readFile(path.join(this.folder, headFileName));
      let sliceEnd = performance.now() + sliceMs;
      for (const stored of decodeHeads(content)) {
        this.heads.set(stored.file.path, stored);
        if (performance.now() < sliceEnd) continue;
        await setImmediate();
        sliceEnd = performance.now() + sliceMs;
      }
    } catch (error) {
      this.heads.clear();
      if (errorCode(error) !== 'ENOENT') this.log.warn(`The index of threads is made anew: ${messageOf(error)}`);
    }
  }

  get(file: FileKey): StoredHead | undefined {
    return this.heads.get(file.path);
  }

  set(stored: StoredHead): void {
    this.heads.set(stored.file.path, stored);
  }

  delete(file: string): void {
    this.heads.delete(file);
  }

  /** Whether what is known of the file still holds: it is the same, and has not become stale meanwhile. */
  holds(file: FileKey, nowMs: number): boolean {
    const stored = this.heads.get(file.path);
    if (!stored || !isSameFile(stored.file, file)) return false;
    return stored.head?.state !== 'running' || isFresh(file.mtimeMs, nowMs);
  }

  /** Paths in these folders that are not among the files. */
  goneFrom(folders: ReadonlySet<string>, files: readonly FileKey[]): readonly string[] {
    const present = new Set(files.map((file) => file.path));
    return [...this.heads.keys()].filter((file) => !present.has(file) && folders.has(path.dirname(file)));
  }
}
