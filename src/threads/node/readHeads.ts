import { stat } from 'node:fs/promises';
import { headOf, problemHead, type ReadFrom } from '../common/heads';
import type { ThreadHead } from '../common/threadPorts';
import type { ThreadFile } from '../common/threadReader';
import { asThreadError, maxThreadBytes, readThreadFile, tooLarge } from './threadFile';

/**
 * What the list needs of one file, read whole. One that cannot be read says so in `problem`. Undefined for what Amp hides,
 * and for a file that has gone meanwhile.
 */
export async function readHead({ path, source, threadId }: ThreadFile, nowMs: number): Promise<ThreadHead | undefined> {
  const named = threadId === undefined ? {} : { threadId };
  let from: ReadFrom = { source, path, nowMs, ...named };
  try {
    const { size, mtimeMs } = await stat(path);
    from = { ...from, sizeBytes: size, mtimeMs };
    if (size > maxThreadBytes) throw tooLarge(size);
    const { json, ...found } = await readThreadFile(path);
    return headOf(json, { ...from, ...found });
  } catch (error) {
    const { code, message } = asThreadError(error);
    return code === 'notFound' ? undefined : problemHead(from, message);
  }
}

/** By their last prompt; of files of the same thread the one that was written last. */
export function newestFirst(heads: readonly ThreadHead[]): readonly ThreadHead[] {
  const byId = new Map<string, ThreadHead>();
  for (const head of heads) {
    const known = byId.get(head.id);
    if (!known || (head.mtimeMs ?? 0) > (known.mtimeMs ?? 0)) byId.set(head.id, head);
  }
  return [...byId.values()].sort((a, b) => b.lastPromptAt - a.lastPromptAt || (a.id < b.id ? 1 : -1));
}
