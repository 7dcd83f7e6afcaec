import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { AmpPromptHistory } from '../../../../../src/threads/node/ampFolder/ampPromptHistory';

describe('the history of prompts', () => {
  let folder: string;
  const put = (name: string, text: string): Promise<void> => writeFile(path.join(folder, name), text);
  const read = async (history = new AmpPromptHistory([folder])) => Object.fromEntries(await history.folderByPrompt());

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-history-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('has the folders of prompts, in lines or in a list', async () => {
    await put(
      'history.jsonl',
      '{"text":"a\\nmore","cwd":"/p"}\n"b"\n\nbare words\n{"cwd":"/q"}\n{"text":"c","cwd":"/r"}',
    );
    assert.deepEqual(await read(), { a: '/p', c: '/r' });
    await rm(path.join(folder, 'history.jsonl'));
    await put('history.json', '["one", {"text":"two","cwd":"/p"}, 3]');
    assert.deepEqual(await read(), { two: '/p' });
    assert.deepEqual(await read(new AmpPromptHistory([path.join(folder, 'none')])), {});
  });

  it('has nothing of prompts that say nothing', async () => {
    await put('history.jsonl', '{"text":" \\n ","cwd":"/wrong"}\n{"text":"a","cwd":"/p"}\n');
    assert.deepEqual(await read(), { a: '/p' });
  });

  it('is read again only when its file has changed', async () => {
    const file = path.join(folder, 'history.jsonl');
    const history = new AmpPromptHistory([folder]);
    await put('history.jsonl', '{"text":"a","cwd":"/p"}\n');
    await utimes(file, 1_000, 1_000);
    const first = await history.folderByPrompt();
    await put('history.jsonl', '{"text":"a","cwd":"/q"}\n');
    await utimes(file, 1_000, 1_000);
    assert.equal(await history.folderByPrompt(), first);
    await utimes(file, 2_000, 2_000);
    assert.deepEqual(await read(history), { a: '/q' });
  });

  it('is read from its end, without lines as long as files, while the window does other things', async () => {
    const line = (at: number): string => `${JSON.stringify({ text: `Prompt ${at} ${'x'.repeat(60)}`, cwd: '/p' })}\n`;
    const lines = Array.from({ length: 60_000 }, (_, at) => line(at)).join('');
    const long = JSON.stringify({ text: `long ${'y'.repeat(300_000)}`, cwd: '/long' });
    await put('history.jsonl', `${lines}${long}\n{"text":"last","cwd":"/q"}\n`);
    assert.ok((await stat(path.join(folder, 'history.jsonl'))).size > 4 * 1024 * 1024);
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const folders = await new AmpPromptHistory([folder]).folderByPrompt();
    clearInterval(counting);
    assert.equal(folders.get('last'), '/q');
    assert.ok(![...folders.values()].includes('/long'));
    assert.ok(folders.size > 30_000 && folders.size < 60_000, `${folders.size} prompts`);
    assert.ok(turns > 0, 'nothing else was done meanwhile');
  });
});
