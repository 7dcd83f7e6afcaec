import { readdir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { Lockfile } from '../../../src/amp/common/ampSchema';

/** The lockfile of the only server that announces itself in `folder`. */
export async function readOnlyLockfile(folder: string): Promise<Lockfile> {
  const [name, ...others] = await readdir(folder);
  if (name === undefined || others.length > 0) throw new Error(`${folder} does not hold one lockfile`);
  return Lockfile.parse(JSON.parse(await readFile(path.join(folder, name), 'utf8')));
}
