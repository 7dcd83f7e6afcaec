import { randomUUID } from 'node:crypto';
import { appendFile, copyFile, link, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../../../base/common/errors';
import { isRecord } from '../../../base/common/isRecord';
import { parseJson } from '../../../base/common/parseJson';
import { isProcessAlive } from '../../../base/node/isProcessAlive';
import { journalName } from '../restore/hasInterruptedRestore';

const refsFolder = path.join('refs', 'checkpoints');
/** Lists the checkpoints that were imported once, so that those that were removed since do not return. */
const importedName = 'imported';
/** Git may combine the objects of the other store while they are linked. Then the remaining ones are listed again. */
const maxPasses = 5;

/**
 * Adds the checkpoints of another store, which another Backline may be using, to this one. Nothing is removed there, and
 * running it again, after a crash or at the same time, adds what is missing. Objects never change, so they are linked.
 * @throws Node.js errors
 */
export async function importStore(from: string, to: string): Promise<void> {
  for (const name of await namesIn(from)) {
    if (/^git-(?:sha1|sha256)$/.test(name)) await importRepository(path.join(from, name), path.join(to, name));
  }
  await moveAbandonedJournal(path.join(from, journalName), path.join(to, journalName));
}

async function importRepository(from: string, to: string): Promise<void> {
  const known = new Set([...(await checkpointsIn(to)), ...linesOf(await readIfThere(path.join(to, importedName)))]);
  const added = (await checkpointsIn(from)).filter((id) => !known.has(id));
  if (added.length === 0) return;
  await linkObjects(from, to);
  await mkdir(path.join(to, refsFolder), { recursive: true, mode: 0o700 });
  for (const id of added) await writeWhole(path.join(to, refsFolder, id), `${id}\n`);
  // Before there were refs, another window may have removed the objects as unneeded.
  await linkObjects(from, to);
  await appendFile(path.join(to, importedName), added.map((id) => `${id}\n`).join(''), { mode: 0o600 });
}

/** Returns the ids of all checkpoints of a repository. Git stores each as a file or as a line of a common file. */
async function checkpointsIn(repository: string): Promise<string[]> {
  const packed = linesOf(await readIfThere(path.join(repository, 'packed-refs')));
  const ids = packed.flatMap((line) => /^[0-9a-f]+ refs\/checkpoints\/([0-9a-f]+)$/.exec(line)?.[1] ?? []);
  const loose = (await namesIn(path.join(repository, refsFolder))).filter((name) => /^[0-9a-f]{40,64}$/.test(name));
  return [...new Set([...ids, ...loose])];
}

async function linkObjects(from: string, to: string): Promise<void> {
  for (let pass = 0; pass < maxPasses; pass++) {
    const folders = await namesIn(path.join(from, 'objects'));
    let isComplete = true;
    // Packs come last, because an object can move from a file of its own to a pack in the meantime.
    for (const folder of [...folders.filter((name) => /^[0-9a-f]{2}$/.test(name)), 'pack']) {
      const names = await namesIn(path.join(from, 'objects', folder));
      if (names.length === 0) continue;
      const target = path.join(to, 'objects', folder);
      await mkdir(target, { recursive: true, mode: 0o700 });
      const there = new Set(await namesIn(target));
      // Git finds a pack by its index, so the index comes last.
      for (const name of names.toSorted((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))) {
        if (there.has(name) || !/^(?:[0-9a-f]{38,62}|pack-[0-9a-f]+\.(?:pack|idx|rev))$/.test(name)) continue;
        const isThere = await linkOrCopy(path.join(from, 'objects', folder, name), path.join(target, name));
        isComplete &&= isThere;
      }
    }
    if (isComplete) return;
  }
}

/** Resolves to false if the file does not exist any more. */
async function linkOrCopy(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return true;
    if (code === 'ENOENT') return false;
    // The two are on different file systems, or this one has no hard links.
    const made = `${to}.${randomUUID()}`;
    await copyFile(from, made);
    await rename(made, to);
  }
  return true;
}

/** Moves the journal of a restore whose process has ended, so that the restore can be finished or undone here. */
async function moveAbandonedJournal(from: string, to: string): Promise<void> {
  const text = await readIfThere(from);
  const journal = parseJson(text);
  if (!isRecord(journal) || typeof journal['pid'] !== 'number' || isProcessAlive(journal['pid'])) return;
  if ((await readIfThere(to)) === '') await rename(from, to);
}

/** Writes a file so that it is never seen half-written. */
async function writeWhole(file: string, text: string): Promise<void> {
  const made = path.join(path.dirname(path.dirname(path.dirname(file))), `new-${randomUUID()}`);
  await writeFile(made, text, { mode: 0o600 });
  await rename(made, file);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

async function readIfThere(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '');
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
