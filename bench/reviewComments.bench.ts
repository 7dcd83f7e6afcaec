// `review.comments`: for how long, at most, the extension host is kept from everybody else while 1,000 comments are placed in 300
// files in which an agent has made 2,000 hunks since. Run by `npm run bench -- reviewComments`.
import { setImmediate } from 'node:timers/promises';
import type { CommentThread } from '../src/comments/common/commentThread';
import { ThreadPlacer } from '../src/comments/common/threadPlacer';
import { printBenchLine } from './lib/benchLine';
import { longestBlock } from './support/blocks';

const files = 300;
const hunks = 2_000;
const comments = 1_000;
const lines = 500;

const line = (file: number, at: number): string => `const value${at} = ${file};`;

function textOf(file: number, isChanged: boolean): string {
  const hunksInFile = Math.floor(hunks / files) + (file < hunks % files ? 1 : 0);
  const every = Math.floor(lines / hunksInFile);
  const ofHunk = (at: number): boolean => isChanged && at % every === 5 && Math.floor(at / every) < hunksInFile;
  const all = Array.from({ length: lines }, (_, at) =>
    ofHunk(at) ? `${line(file, at)} // by the agent\n// more` : line(file, at),
  );
  return all.join('\n');
}

async function main(): Promise<void> {
  const before = Array.from({ length: files }, (_, file) => textOf(file, false));
  const after = before.map((_, file) => textOf(file, true));
  const threads = Array.from({ length: comments }, (_, at): { file: number; thread: Pick<CommentThread, 'home'> } => {
    const start = 1 + ((at * 7) % (lines - 10));
    return { file: at % files, thread: { home: { hash: String(at % files), start, end: start + 3 } } };
  });
  const kinds = new Map<string, number>();
  const longest = await longestBlock(async () => {
    for (const [file, inFile] of Map.groupBy(threads, (one) => one.file)) {
      // Reads as from a disk: the event loop turns meanwhile.
      await setImmediate();
      const placer = new ThreadPlacer((hash) => Promise.resolve(before[Number(hash)]));
      for (const { thread } of inFile) {
        const { kind } = await placer.place(thread, after[file] ?? '');
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      }
    }
  });
  const [changed = 0, same = 0] = [kinds.get('changed'), kinds.get('same')];
  if (changed === 0 || same + changed !== comments) throw new Error(`Found ${JSON.stringify([...kinds])}.`);
  printBenchLine({ bench: 'review.comments', value: longest, unit: 'ms', bar: 50, barOf: 'value', better: 'lower' });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
