import { mkdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Clock } from '../../../../base/common/async';
import { errorCode, messageOf } from '../../../../base/common/errors';
import { encodeHeads, headFileName, mergeHeads, type StoredHead } from '../../files/headFile';
import { IndexFileError } from '../../../../texts/node/files/indexFileError';
import { IndexLock } from '../../../../texts/node/files/indexLock';
import { CostThrottle } from '../../../common/costThrottle';
import { processorShares } from '../../../common/processorShares';
import { writeFileAtomically } from '../../../../texts/node/files/atomicWrite';

const pace = { minMs: 100, share: processorShares.savedHeads };

/**
 * Adds heads to the index file. Other windows write to this file, too. Combines additions that follow each other
 * quickly. Heads that are not saved before the worker ends are read again.
 */
export class HeadSaver {
  private unsavedHeads = new Map<string, StoredHead>();
  private gonePaths = new Set<string>();
  private readonly throttle: CostThrottle;

  /** `folder` is the index folder. The first save creates it. */
  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    warn: (message: string) => void,
  ) {
    const onError = (error: unknown): void => warn(`Could not save the thread index: ${messageOf(error)}`);
    this.throttle = new CostThrottle(clock, pace, () => Promise.resolve(this.save()), onError);
  }

  add(heads: readonly StoredHead[], gone: readonly string[]): void {
    for (const stored of heads) {
      this.gonePaths.delete(stored.file.path);
      this.unsavedHeads.set(stored.file.path, stored);
    }
    for (const file of gone) {
      this.unsavedHeads.delete(file);
      this.gonePaths.add(file);
    }
    this.throttle.schedule();
  }

  /** Saves the heads. Returns the duration in milliseconds. @throws Error of Node.js if the folder is not writable */
  private save(): number {
    const startedAt = this.clock.monotonicNow();
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const lock = IndexLock.tryAcquire(path.join(this.folder, 'heads.lock'));
    if (!lock) {
      // Another window is writing, so this is tried again later.
      this.throttle.schedule();
      return 0;
    }
    const [heads, gone] = [this.unsavedHeads, this.gonePaths];
    this.unsavedHeads = new Map();
    this.gonePaths = new Set();
    try {
      const file = path.join(this.folder, headFileName);
      writeFileAtomically(file, merged(file, [...heads.values()], [...gone]));
    } finally {
      lock.dispose();
    }
    return this.clock.monotonicNow() - startedAt;
  }
}

/** Merges heads into the file. Replaces an invalid file, which was already logged when the index was read. */
function merged(file: string, heads: readonly StoredHead[], gone: readonly string[]): Buffer {
  try {
    return mergeHeads(readFileSync(file), heads, gone);
  } catch (error) {
    if (!(error instanceof IndexFileError) && errorCode(error) !== 'ENOENT') throw error;
    return encodeHeads(heads);
  }
}
