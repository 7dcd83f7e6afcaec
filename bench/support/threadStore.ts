import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { seededRandom, type Random } from './random';
import { generateThread } from './threadText';

/** A folder of generated threads. Who makes it removes it. */
export interface ThreadStore {
  readonly folder: string;
  readonly files: readonly string[];
  readonly bytes: number;
  remove(): void;
}

/** Of the logarithms of sizes: median 50 kB, p90 287 kB, p99 1.08 MB and some more, as facts of real stores have it. */
const medianBytes = 50_000;
const spread = 1.37;
const [smallestBytes, largestBytes] = [2_000, 3_700_000];
const firstMtime = Date.UTC(2026, 0, 1) / 1000;

/** The same bytes each time: 2,000 threads have about 300 MB. Times of change lie a minute apart. */
export function makeThreadStore(count: number, seed = 1): ThreadStore {
  const folder = mkdtempSync(path.join(tmpdir(), 'backline-threads-'));
  const random = seededRandom(seed);
  let bytes = 0;
  const files = Array.from({ length: count }, (_, index) => {
    const thread = generateThread(index, sizeOf(random), random);
    const file = path.join(folder, `${thread.id}.json`);
    writeFileSync(file, thread.json);
    utimesSync(file, firstMtime + index * 60, firstMtime + index * 60);
    bytes += statSync(file).size;
    return file;
  });
  return { folder, files, bytes, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** One of about so many bytes, in a folder of its own. */
export function makeLargeThread(bytes: number, seed = 2): ThreadStore {
  const folder = mkdtempSync(path.join(tmpdir(), 'backline-thread-'));
  const thread = generateThread(0, bytes, seededRandom(seed));
  const file = path.join(folder, `${thread.id}.json`);
  writeFileSync(file, thread.json);
  const { size } = statSync(file);
  return { folder, files: [file], bytes: size, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function sizeOf(random: Random): number {
  // Box and Muller's way to a normal distribution.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(largestBytes, Math.max(smallestBytes, medianBytes * Math.exp(spread * normal)));
}
