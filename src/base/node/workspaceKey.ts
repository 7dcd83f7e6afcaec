import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import * as path from 'node:path';

/**
 * Returns a name for what is stored of a workspace: its real paths decide, so that a symbolic link leads to the same. `places`:
 * the absolute path of the workspace file, or those of the folders. Undefined without any.
 */
export async function workspaceKey(places: readonly string[]): Promise<string | undefined> {
  if (places.length === 0) return undefined;
  const real = await Promise.all(places.map(realPath));
  return createHash('sha256').update(real.toSorted().join('\0')).digest('hex').slice(0, 32);
}

async function realPath(place: string): Promise<string> {
  return await realpath(place).catch(() => path.normalize(place));
}
