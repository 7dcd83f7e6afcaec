import { setTimeout as sleep } from 'node:timers/promises';
import type { FilePort } from './filePort';

/** How often and how long a window waits for another one that writes the same file. Writing takes only milliseconds. */
const maxWaits = 50;
const waitMs = 20;

/**
 * Runs `work` while no other window writes `file`: it is marked by a file beside it, named so that it is removed as a leftover if
 * this window crashes. Resolves to what `work` does.
 */
export async function whileMarked<Result>(
  files: Pick<FilePort, 'createNew' | 'remove'>,
  file: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const mark = `${file}.writing.tmp`;
  const isMarked = await tryToMark(files, mark);
  try {
    return await work();
  } finally {
    if (isMarked) await files.remove(mark).catch(() => undefined);
  }
}

/** Marks the file after others have written it. Never rejects. */
async function tryToMark(files: Pick<FilePort, 'createNew' | 'remove'>, mark: string): Promise<boolean> {
  // Where nothing can be created, the write reports it.
  const create = (): Promise<boolean | undefined> => files.createNew(mark, '').catch(() => undefined);
  for (let waits = 0; waits < maxWaits; waits++) {
    const isCreated = await create();
    if (isCreated !== false) return isCreated === true;
    await sleep(waitMs);
  }
  // Its window has crashed.
  await files.remove(mark).catch(() => undefined);
  return (await create()) === true;
}
