// `changes.hunks`: for how long, at most, the extension host is kept from everybody else while an agent's 2,000 hunks in 200 files
// are found, compared and shown for review. `changes.files`: the same for 5,000 files of one turn. Run by
// `npm run bench -- reviewHunks`.
import { setImmediate } from 'node:timers/promises';
import type { ReadTextOptions, TextFile } from '../src/editor/common/editorPort';
import { hunksBetween } from '../src/changes/common/review/hunks';
import { FakeCheckpoints } from '../test/fake/fakeCheckpoints';
import { FakeEditor } from '../test/fake/fakeEditor';
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

async function measure(turn: Turn): Promise<void> {
  const { bench, files, hunksInFile } = turn;
  const [before, after] = [textOf(turn, false), textOf(turn, true)];
  const paths = Array.from({ length: files }, (_, number) => `/ws/file${number}.ts`);
  const editor = new DiskLikeEditor(Object.fromEntries(paths.map((path) => [path, before])));
  const window = await Window.open({ editor, checkpoints: new FakeCheckpoints(editor) });
  const chat = await window.chats.create('one');
  await chat.send(draft('Go'));
  for (const path of paths) editor.setFile(path, after);
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

async function main(): Promise<void> {
  for (const turn of turns) await measure(turn);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
