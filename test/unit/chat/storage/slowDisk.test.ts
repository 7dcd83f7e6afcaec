import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { FakeClock } from '../../../fake/fakeClock';
import { SlowFiles } from '../../../fake/slowFiles';
import { until } from '../../../support/eventually';
import { draft, outline, spoken, Window } from '../support/window';

/** As long as VS Code lets the extension end. */
const stopMs = 3000;

describe('Conversations on a slow disk', () => {
  let window: Window;
  let storeClock: FakeClock;
  let files: SlowFiles;
  beforeEach(async () => {
    storeClock = new FakeClock();
    files = new SlowFiles(storeClock);
    window = await Window.open({ storeClock, files });
  });
  afterEach(async () => {
    files.callMs = 0;
    await files.pass(60_000);
    await window.remove();
  });

  /** Of a log: the texts of prompts and answers, as they are on disk. */
  async function kept(id: string): Promise<string[]> {
    const text = await readFile(path.join(window.folder, id, 'log.jsonl'), 'utf8').catch(() => '');
    return [...text.matchAll(/"(?:text|delta)":"([^"]+)"/g)].map(([, said = '']) => said);
  }

  it('show text immediately, and write it once and in order', async () => {
    files.callMs = 2000;
    const chat = await window.chats.create('one');
    for (const text of ['A', 'B', 'C']) {
      await chat.send(draft(text));
      window.agent.last.say(`${text} answered`);
      window.agent.last.end(`${text} answered`);
      await until('the answer', () => outline(chat).at(-1) === 'end: completed');
      await files.pass(1500);
    }
    assert.deepEqual(
      outline(chat).filter((line) => line.startsWith('prompt')),
      ['prompt: A', 'prompt: B', 'prompt: C'],
    );
    assert.deepEqual(await kept(chat.id), [], 'the disk has taken nothing yet');
    await files.pass(60_000);
    assert.deepEqual(await kept(chat.id), ['A', 'A answered', 'B', 'B answered', 'C', 'C answered']);
    assert.equal(files.written.join('').match(/"text":"A"/g)?.length, 1);
    assert.equal(chat.view.problem, undefined);
  });

  it('report that the disk is slow until it has responded', async () => {
    const chat = await spoken(window);
    await files.pass(1000);
    files.callMs = 15_000;
    await chat.send(draft('More'));
    const problem = (): string => chat.view.problem ?? '';
    assert.equal(problem(), '');
    await files.pass(11_000);
    assert.match(problem(), /^The disk is slow/);
    await files.pass(10_000);
    assert.equal(problem(), '');
    assert.ok((await kept(chat.id)).includes('More'));
  });

  it('are completely on disk when the window closes, within the available time', async () => {
    const chat = await spoken(window);
    await files.pass(1000);
    files.callMs = 1000;
    await chat.send(draft('Last words'));
    window.agent.last.say('Half an answer');
    await files.settle();
    void window.chats.stop();
    await files.pass(stopMs);
    assert.deepEqual((await kept(chat.id)).slice(-3, -1), ['Last words', 'Half an answer']);
    const text = await readFile(path.join(window.folder, chat.id, 'log.jsonl'), 'utf8');
    assert.ok(text.endsWith('\n'));
    assert.equal(text.match(/"text":"Last words"/g)?.length, 1);
  });

  it('stay deleted for other windows, however long that takes', async () => {
    const chat = await spoken(window);
    await files.pass(1000);
    const { folder } = window;
    const clock = new FakeClock();
    const otherFiles = new SlowFiles(clock);
    const other = await Window.open({ folder, storeClock: clock, files: otherFiles });
    try {
      assert.equal(other.chats.rows.length, 1);
      // The other window looks while this one is half done.
      files.callMs = 2000;
      const deleted = window.chats.delete(chat.id);
      for (let passedMs = 0; passedMs < 40_000; passedMs += 500) {
        await files.pass(500);
        await otherFiles.pass(500);
      }
      await deleted;
      await until('it is gone', async () => {
        await otherFiles.pass(1000);
        return other.chats.rows.length === 0;
      });
    } finally {
      otherFiles.callMs = 0;
      await other.close();
    }
  });
});
