// `lines.first`: how long the first question takes who wrote the lines of a file of 5,000 lines that 200 turns of 10 conversations have
// written, from the logs on disk, beside `git blame` of a history with the same texts. `lines.hover`: each further question.
// `lines.block`: for how long, at most, the first one blocks the extension host. Run by `npm run bench -- lineAuthors`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../src/base/common/log';
import { NodeFiles } from '../../src/base/node/filePort';
import type { ConversationHead } from '../../src/chat/common/chatStore';
import { StoredAuthors } from '../../src/chat/node/authorship/storedAuthors';
import { median, printBenchLine } from '../lib/benchLine';
import { longestBlock } from '../support/blocks';

const turns = 200;
const conversations = 10;
const lineCount = 5_000;
const linesInTurn = 20;
const rounds = 5;
const file = '/ws/large.ts';

/** The texts of the file, before the first turn and after each. */
function textsOfTurns(): string[] {
  const lines = Array.from({ length: lineCount }, (_, line) => `const value${line} = compute(${line}, "start");`);
  const texts = [lines.join('\n')];
  for (let turn = 1; turn <= turns; turn++) {
    const start = (turn * 977) % (lineCount - linesInTurn);
    for (let line = start; line < start + linesInTurn; line++)
      lines[line] = `const value${line} = turn${turn}(${line});`;
    texts.push(lines.join('\n'));
  }
  return texts;
}

function headOf(id: string): ConversationHead {
  const text = { id, title: id, titledBy: 'prompt', backendId: 'one', backendTitle: 'One', state: 'idle' } as const;
  return { ...text, version: 3, createdAt: 1, updatedAt: 1 };
}

/** Writes the logs as the chat does, and returns a reader of them that has read nothing. */
function writeLogs(folder: string, texts: readonly string[]): () => StoredAuthors {
  const ids = Array.from({ length: conversations }, (_, number) => `conversation-${number}`);
  const logs = new Map(ids.map((id) => [id, [`{"type":"begin","at":1,"version":3,"id":"${id}","backendId":"one"}`]]));
  const placeOf = (id: string) => ({
    log: path.join(folder, id, 'log.jsonl'),
    texts: path.join(folder, id, 'texts'),
    moves: [],
  });
  for (const id of ids) mkdirSync(placeOf(id).texts, { recursive: true });
  const store = (id: string, text = ''): string => {
    const hash = createHash('sha256').update(text).digest('hex');
    writeFileSync(path.join(placeOf(id).texts, hash), text);
    return hash;
  };
  for (let turn = 1; turn <= turns; turn++) {
    const id = ids[turn % conversations] ?? '';
    const [base, after] = [store(id, texts[turn - 1]), store(id, texts[turn])];
    const event = { event: 'prompt:submit', data: { session_id: 's', prompt: 'Go' } };
    const answer = {
      event: 'content_block:delta',
      data: { session_id: 's', block_index: 0, delta: 'word '.repeat(2_000) },
    };
    const records = [
      { type: 'prompt', at: turn * 10, id: `p${turn}`, text: 'Go', attachments: [] },
      { type: 'event', at: turn * 10, event },
      { type: 'event', at: turn * 10, event: answer },
      { type: 'written', at: turn * 10 + 1, path: file, base, after },
      { type: 'changed', at: turn * 10 + 2, turn: Math.ceil(turn / conversations), changes: [] },
    ];
    logs.get(id)?.push(...records.map((record) => JSON.stringify(record)));
  }
  for (const [id, lines] of logs) writeFileSync(placeOf(id).log, `${lines.join('\n')}\n`);
  const heads = ids.map(headOf);
  return () =>
    new StoredAuthors({
      store: { heads, elsewhere: () => undefined, placeOf: (id) => Promise.resolve(placeOf(id)) },
      files: new NodeFiles(),
      log: nullLogger,
    });
}

/** A repository with a commit for each text. Returns the median time of blame, in milliseconds. */
function timeBlame(folder: string, texts: readonly string[]): number {
  const git = (input: string | undefined, ...args: string[]): Buffer =>
    execFileSync('git', ['-C', folder, ...args], { input, maxBuffer: 64 * 1024 * 1024 });
  mkdirSync(folder);
  git(undefined, 'init', '-q', '-b', 'main');
  const commits = texts.map((text, at) => {
    const body = `M 100644 inline large.ts\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    return `commit refs/heads/main\ncommitter A <a@a> ${at + 1} +0000\ndata 1\nx\n${body}`;
  });
  git(commits.join(''), 'fast-import', '--quiet');
  const times = Array.from({ length: rounds }, () => {
    const startMs = performance.now();
    git(undefined, 'blame', '--porcelain', 'main', '--', 'large.ts');
    return performance.now() - startMs;
  });
  return median(times);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'backline-authors-'));
  try {
    const texts = textsOfTurns();
    const open = writeLogs(path.join(folder, 'logs'), texts);
    const blameMs = timeBlame(path.join(folder, 'repository'), texts);
    const shown = `// by the user\n${texts.at(-1) ?? ''}`;
    const firstMs: number[] = [];
    const nextMs: number[] = [];
    let block = Infinity;
    for (let round = 0; round < rounds; round++) {
      const authors = open();
      const startMs = performance.now();
      const found = await authors.authorsOf(file, shown);
      firstMs.push(performance.now() - startMs);
      if (found[1 + ((turns * 977) % (lineCount - linesInTurn))]?.turn.startedAt !== turns * 10)
        throw new Error('Wrong.');
      const againMs = performance.now();
      await authors.authorsOf(file, shown);
      nextMs.push(performance.now() - againMs);
      block = Math.min(
        block,
        await longestBlock(async () => {
          await open().authorsOf(file, shown);
        }),
      );
    }
    const peer = { name: 'git blame', value: blameMs };
    const shared = { unit: 'ms', barOf: 'value', better: 'lower' } as const;
    printBenchLine({ bench: 'lines.first', value: median(firstMs), peer, bar: 150, ...shared });
    printBenchLine({ bench: 'lines.hover', value: median(nextMs), peer, bar: 20, ...shared });
    printBenchLine({ bench: 'lines.block', value: block, bar: 50, ...shared });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
