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
  readonly remove: () => void;
}

/** Shares of threads that are not larger, and their bytes; between them sizes grow by equal factors. */
const sizes = [
  [0, 20_000],
  [0.5, 50_000],
  [0.75, 185_000],
  [0.9, 287_000],
  [0.95, 740_000],
  [0.99, 1_080_000],
  [1, 3_850_000],
] as const;
const firstMtime = Date.UTC(2026, 0, 1) / 1000;

/** The same bytes each time: 2,000 threads have about 308 MB. Times of change lie a minute apart. */
export function makeThreadStore(count: number, seed = 1): ThreadStore {
  const folder = mkdtempSync(path.join(tmpdir(), 'backline-threads-'));
  const random = seededRandom(seed);
  let bytes = 0;
  const files = shuffled(count, random).map((rank, index) => {
    const thread = generateThread(index, sizeOf((rank + 0.5) / count), random);
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

/** `share` is from 0 to 1. */
function sizeOf(share: number): number {
  const above = sizes.findIndex(([upTo]) => upTo >= share);
  const [from, smallest] = sizes[Math.max(0, above - 1)] ?? sizes[0];
  const [to, largest] = sizes[above] ?? sizes[0];
  const way = to === from ? 0 : (share - from) / (to - from);
  return smallest * (largest / smallest) ** way;
}

/** Each of the numbers below `count` once. */
function shuffled(count: number, random: Random): number[] {
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let index = count - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [numbers[index], numbers[other]] = [numbers[other] ?? 0, numbers[index] ?? 0];
  }
  return numbers;
}
