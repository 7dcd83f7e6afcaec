import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Disposable } from '../../src/base/common/disposable';
import { only } from './only';

/** Registers tests that need a disk which can be filled. Only root can make one, on Linux, and in some containers nobody. */
export const withSmallDisk = only('where a small disk can be made', canMakeDisk());

/** Makes a disk of that many MiB in a new folder. The caller disposes it. */
export function makeSmallDisk(folder: string, mebibytes: number): Disposable {
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'none', folder], { stdio: 'ignore' });
  // Lazily, since a watch of the folder or a program that just ends may still hold it.
  return { dispose: () => void execFileSync('umount', ['--lazy', folder]) };
}

function canMakeDisk(): boolean {
  const parent = mkdtempSync(path.join(tmpdir(), 'backline-disk-'));
  const folder = path.join(parent, 'disk');
  try {
    makeSmallDisk(folder, 1).dispose();
    rmdirSync(folder);
    return true;
  } catch {
    rmdirSync(folder);
    return false;
  } finally {
    rmdirSync(parent);
  }
}
