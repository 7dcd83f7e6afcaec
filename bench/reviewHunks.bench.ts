// `changes.hunks`: for how long, at most, the extension host is kept from everybody else while an agent's 2,000 hunks in 200 files
// are found, compared and shown for review. `changes.files`: the same for 5,000 files of one turn. `review.next`: the same while
// 2,100 hunks in 300 files with 1,000 comments are counted and marked as reviewed one file after another, and the next one that
// is not reviewed is looked for. Run by `npm run bench -- reviewHunks`.
import { setImmediate } from 'node:timers/promises';
import type { ReadTextOptions, TextFile } from '../src/editor/common/editorPort';
import { systemClock } from '../src/base/node/systemClock';
import { hunksBetween } from '../src/changes/common/review/hunks';
import { ReviewedMarks } from '../src/changes/common/review/reviewedMarks';
import { shortHash } from '../src/changes/node/storage/reviewedKeyFiles';
import type { ChatSession } from '../src/chat/common/conversation/chatSession';
import { createPlacer } from '../src/comments/common/placeComment';
import { FakeCheckpoints } from '../test/fake/fakeCheckpoints';
import { FakeEditor } from '../test/fake/fakeEditor';
import { MemoryReviewedKeys } from '../test/fake/memoryReviewedKeys';
import { until } from '../test/support/eventually';
import { draft, Window } from '../test/unit/chat/support/window';
import { printBenchLine } from './lib/benchLine';
import { longestBlock } from './support/blocks';

interface Turn {
  readonly bench: string;
  readonly files: number;
  readonly lines: number;
  readonly hunksInFile: number;
}

const comments = 1_000;
const turns: readonly Turn[] = [
  { bench: 'changes.hunks', files: 200, lines: 500, hunksInFile: 10 },
  { bench: 'changes.files', files: 5_000, lines: 50, hunksInFile: 1 },
];

function textOf({ hunksInFile, lines }: Turn, isChanged: boolean): string {
  const every = lines / hunksInFile;
  return Array.from({ length: lines }, (_, line) =>
    isChanged && line % every === 5 ? `const changed${line} = "by the agent";\n` : `const value${line} = ${line};\n`,
  ).join('');
}

/** Reads as from a disk: the event loop turns meanwhile. */
class DiskLikeEditor extends FakeEditor {
  constructor(private readonly textByPath: Readonly<Record<string, string>>) {
    super(textByPath);
  }

  /** Without matching, which takes the time of the fake checkpoints. */
  override glob(): Promise<string[]> {
    return Promise.resolve(Object.keys(this.textByPath));
  }

  override async readText(path: string, options?: ReadTextOptions): Promise<TextFile> {
    await setImmediate();
    return await super.readText(path, options);
  }
}

interface StartedTurn {
  readonly window: Window;
  readonly chat: ChatSession;
  readonly paths: readonly string[];
  readonly before: string;
  readonly after: string;
}

/** An agent has changed the files, and its turn has not ended yet. */
async function startTurn(turn: Turn): Promise<StartedTurn> {
  const [before, after] = [textOf(turn, false), textOf(turn, true)];
  const paths = Array.from({ length: turn.files }, (_, number) => `/ws/file${number}.ts`);
  const editor = new DiskLikeEditor(Object.fromEntries(paths.map((path) => [path, before])));
  const window = await Window.open({ editor, checkpoints: new FakeCheckpoints(editor) });
  const chat = await window.chats.create('one');
  await chat.send(draft('Go'));
  for (const path of paths) editor.setFile(path, after);
  return { window, chat, paths, before, after };
}

async function measure(turn: Turn): Promise<void> {
  const { bench, files, hunksInFile } = turn;
  const { after, chat, paths, window } = await startTurn(turn);
  let hunks = 0;
  const longest = await longestBlock(async () => {
    window.agent.last.end();
    await until('the changes', () => chat.fileChanges.list.length === files);
    await chat.fileChanges.refresh();
    if (chat.view.changes.length !== Math.min(files, 100)) throw new Error('The page gets other changes.');
    for (const path of paths) hunks += hunksBetween((await chat.fileChanges.baseline(path)) ?? '', after).length;
  });
  await window.remove();
  if (hunks !== files * hunksInFile) throw new Error(`${hunks} hunks were found.`);
  printBenchLine({ bench, value: longest, unit: 'ms', bar: 50, barOf: 'value', better: 'lower' });
}

/** Counts all changes, places all comments, and marks file after file as reviewed, each time looking for the next change. */
async function measureReview(): Promise<void> {
  const turn = { bench: 'review.next', files: 300, lines: 490, hunksInFile: 7 };
  const { after, before, chat, paths, window } = await startTurn(turn);
  window.agent.last.end();
  await until('the changes', () => chat.fileChanges.list.length === turn.files);
  const onError = (error: unknown): never => {
    throw error;
  };
  const marks = new ReviewedMarks({ keys: new MemoryReviewedKeys(), hash: shortHash, clock: systemClock, onError });
  marks.start({
    onDidChange: chat.fileChanges.onDidChange,
    paths,
    formerPaths: new Map(),
    texts: (path) => chat.fileChanges.texts(path),
  });
  let moves = 0;
  const longest = await longestBlock(async () => {
    const counts = await marks.count(paths);
    if (counts.total !== turn.files * turn.hunksInFile) throw new Error(`${counts.total} changes were counted.`);
    for (let comment = 0; comment < comments; comment++) {
      const place = createPlacer(
        { text: before, isPart: false },
        after,
      )({ start: comment % turn.lines, end: (comment % turn.lines) + 1 });
      if (place.kind === 'gone' && comment % turn.lines === 0) throw new Error('A line was not found.');
      await setImmediate();
    }
    for (const path of paths.slice(0, -1)) {
      await marks.setFileReviewed(path, true);
      if (paths.indexOf(path) % 100 > 0) continue;
      for (const other of paths) {
        if (await marks.isAllReviewed(other)) continue;
        moves++;
        break;
      }
    }
  });
  marks.dispose();
  await window.remove();
  if (moves !== 3) throw new Error(`${moves} changes were found.`);
  printBenchLine({ bench: turn.bench, value: longest, unit: 'ms', bar: 50, barOf: 'value', better: 'lower' });
}

async function main(): Promise<void> {
  for (const turn of turns) await measure(turn);
  await measureReview();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
