import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, realpathSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive } from '../processes.mjs';
import { removeFolder } from '../removeFolder.mjs';

const memory = '/dev/shm';
/** What all tests have there at once is less than a tenth of that. */
const neededBytes = 4 * 1024 ** 3;

/**
 * From now on temporary files of this process and of those that it starts are in memory, where that can be: tests write and
 * remove so many small ones that a disk is what they wait for most. Call the result at the end: it removes them.
 * @returns {() => void}
 */
export function keepTemporaryFilesInMemory() {
  if (process.platform !== 'linux' || process.env['TMPDIR'] !== undefined) return () => undefined;
  /** @type {string | undefined} */
  let folder;
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < neededBytes) return () => undefined;
    removeOfEndedRuns();
    const made = realpathSync(mkdtempSync(path.join(memory, `backline-${process.pid}-`)));
    folder = made;
    // Tests that run as another user have to get to their own folders in it.
    chmodSync(made, 0o711);
    // Containers often forbid to run programs from there.
    const program = path.join(made, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
    process.env['TMPDIR'] = made;
    // What one Node.js has compiled, the others read: npm, the servers of VS Code, agents.
    process.env['NODE_COMPILE_CACHE'] ??= path.join(made, 'compiled');
    return () => removeFolder(made);
  } catch {
    if (folder !== undefined) removeFolder(folder);
    return () => undefined;
  }
}

/** One that was killed has left its files behind, which take memory. */
function removeOfEndedRuns() {
  for (const name of readdirSync(memory)) {
    const [, pid] = /^backline-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeFolder(path.join(memory, name));
  }
}
