import { readFileSync, readdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import * as z from 'zod/mini';
import { errorCode } from '../../base/common/errors';
import { parseJson } from '../../base/common/parseJson';
import { IndexFileError } from './files/indexFileError';
import { temporarySuffix, writeFileAtomically } from './files/atomicWrite';

/** Version of the index. Increment it when the format of words, texts or segments changes. */
const version = 6;
const fileName = 'texts.json';
const segmentSuffix = '.seg';

const Manifest = z.object({
  kind: z.literal('backline texts'),
  version: z.number(),
  /** File names of the segments, the oldest first. */
  segments: z.array(z.string().check(z.regex(/^[\w-]+\.seg$/))),
});

/** Returns the segments' file names. Empty without an index. @throws IndexFileError if the manifest is invalid */
export function readManifest(folder: string): readonly string[] {
  const content = readIfThere(path.join(folder, fileName));
  if (content === undefined) return [];
  const { data } = Manifest.safeParse(parseJson(content));
  if (!data) throw new IndexFileError('its list of segments is damaged');
  if (data.version !== version) throw new IndexFileError(`it has version ${data.version} instead of ${version}`);
  return data.segments;
}

/** Writes the list of segments. The caller must hold the lock. */
export function writeManifest(folder: string, segments: readonly string[]): void {
  const manifest: z.infer<typeof Manifest> = { kind: 'backline texts', version, segments: [...segments] };
  writeFileAtomically(path.join(folder, fileName), JSON.stringify(manifest));
}

/** Deletes unused segments, and temporary files of processes that have crashed. The caller must hold the lock. */
export function removeOrphans(folder: string, segments: readonly string[]): void {
  for (const name of readdirSync(folder)) {
    const isSegment = name.endsWith(segmentSuffix) && !segments.includes(name);
    if (!isSegment && !(name.includes(segmentSuffix) && name.endsWith(temporarySuffix))) continue;
    try {
      rmSync(path.join(folder, name), { force: true });
    } catch {
      // On Windows, another window may have opened the file. A later call deletes it.
    }
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
