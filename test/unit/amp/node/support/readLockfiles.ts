import { readdir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { Lockfile } from '../../../../../src/amp/common/ampSchema';

/** What a client finds that reads every `*.json` of the folder. */
export async function readLockfiles(folder: string): Promise<Lockfile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return texts.map((text) => Lockfile.parse(JSON.parse(text)));
}
