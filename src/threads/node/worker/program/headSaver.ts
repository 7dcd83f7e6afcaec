import { mkdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Clock } from '../../../../base/common/async';
import { errorCode, messageOf } from '../../../../base/common/errors';
import { encodeHeads, headFileName, IndexFileError, mergeHeads, type StoredHead } from '../../files/headFile';
import { IndexLock } from '../../files/indexLock';
import { CostThrottle } from '../../../common/costThrottle';
import { writeWholeFile } from '../../files/wholeFile';

/** Somebody waits for the list, nobody for this. */
const pace = { minMs: 100, share: 0.05 };

/**
 * Adds what was read to the heads on disk, which another window may write too: a moment later, and of lists that follow
 * each other quickly only once. What is not saved when the worker ends is read again.
 */
export class HeadSaver {
  private heads = new Map<string, StoredHead>();
  private gone = new Set<string>();
  private readonly saving: CostThrottle;

  /** `folder` is that of the index; made when it is written. */
  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    warn: (message: string) => void,
  ) {
    this.saving = new CostThrottle(
      clock,
      pace,
      () => Promise.resolve(this.save()),
      (error) => warn(`The index of threads could not be saved: ${messageOf(error)}`),
    );
  }

  add(heads: readonly StoredHead[], gone: readonly string[]): void {
    for (const stored of heads) {
      this.gone.delete(stored.file.path);
      this.heads.set(stored.file.path, stored);
    }
    for (const file of gone) {
      this.heads.delete(file);
      this.gone.add(file);
    }
    this.saving.touch();
  }

  /** What it took, in milliseconds. @throws Error of Node.js when the folder cannot be written */
  private save(): number {
    const startedAt = this.clock.monotonicNow();
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const lock = IndexLock.tryTake(path.join(this.folder, 'heads.lock'));
    if (!lock) {
      // Another window writes: after it.
      this.saving.touch();
      return 0;
    }
    const [heads, gone] = [this.heads, this.gone];
    this.heads = new Map();
    this.gone = new Set();
    try {
      const file = path.join(this.folder, headFileName);
      writeWholeFile(file, merged(file, [...heads.values()], [...gone]));
    } finally {
      lock.dispose();
    }
    return this.clock.monotonicNow() - startedAt;
  }
}

/** Who reads a file first that cannot be used says so in the log. */
function merged(file: string, heads: readonly StoredHead[], gone: readonly string[]): Buffer {
  try {
    return mergeHeads(readFileSync(file), heads, gone);
  } catch (error) {
    if (!(error instanceof IndexFileError) && errorCode(error) !== 'ENOENT') throw error;
    return encodeHeads(heads);
  }
}
