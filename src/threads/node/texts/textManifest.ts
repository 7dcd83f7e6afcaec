import { readFileSync, readdirSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import * as z from 'zod/mini';
import { errorCode } from '../../../base/common/errors';
import { parseJson } from '../../../base/common/parseJson';
import { IndexFileError } from '../files/headFile';
import { temporarySuffix, writeWholeFile } from '../files/wholeFile';

/** To be raised when words, texts or segments change. */
const version = 4;
const fileName = 'texts.json';
const segmentSuffix = '.seg';

const Manifest = z.object({
  kind: z.literal('backline thread texts'),
  version: z.number(),
  /** Of segments, the oldest first; without folders. */
  segments: z.array(z.string().check(z.regex(/^[\w-]+\.seg$/))),
});

/** The segments that make up the index. @throws IndexFileError when it cannot be used; empty when there is none */
export function readManifest(folder: string): readonly string[] {
  const content = readIfThere(path.join(folder, fileName));
  if (content === undefined) return [];
  const { data } = Manifest.safeParse(parseJson(content));
  if (!data) throw new IndexFileError('its list of segments is damaged');
  if (data.version !== version) throw new IndexFileError(`it has version ${data.version}, this is ${version}`);
  return data.segments;
}

/** Only for who has the lock. */
export function writeManifest(folder: string, segments: readonly string[]): void {
  const manifest: z.infer<typeof Manifest> = { kind: 'backline thread texts', version, segments: [...segments] };
  writeWholeFile(path.join(folder, fileName), JSON.stringify(manifest));
}

/** Removes segments that nothing refers to, and what a writer that died left; only for who has the lock. */
export function removeOrphans(folder: string, segments: readonly string[]): void {
  for (const name of readdirSync(folder)) {
    const isSegment = name.endsWith(segmentSuffix) && !segments.includes(name);
    if (!isSegment && !(name.includes(segmentSuffix) && name.endsWith(temporarySuffix))) continue;
    try {
      rmSync(path.join(folder, name), { force: true });
    } catch {
      // Another window has it open, on a system where that matters: later.
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
