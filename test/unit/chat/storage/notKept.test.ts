import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { eventually, until } from '../../../support/eventually';
import { FakeClock } from '../../../fake/fakeClock';
import { event } from '../support/transcriptRecorder';
import { draft, outline, settled, Window, rowsFound } from '../support/window';

/** A disk that is full when the test says so. */
class FullDisk extends NodeFiles {
  isFull = false;

  override async writeAtAndTruncate(...args: Parameters<NodeFiles['writeAtAndTruncate']>): Promise<void> {
    if (this.isFull) throw Object.assign(new Error('the disk says no'), { code: 'ENOSPC' });
    await super.writeAtAndTruncate(...args);
  }
}

describe('A conversation that cannot be saved to disk', () => {
  it('shows the problem while a turn runs, whatever the agent reports, and afterwards', async () => {
    const files = new FullDisk();
    const window = await Window.open({ files });
    try {
      const chat = await window.chats.create('one');
      await chat.send(draft('Go'));
      const problem = (): string => chat.view.problem ?? '';
      assert.equal(problem(), '');
      files.isFull = true;
      const { last } = window.agent;
      last.tell(event('status:update', { status: 'working', message: 'Reading files' }));
      last.say('gone?');
      await until('the problem', () => problem().startsWith('The disk is full.'));
      assert.deepEqual([chat.view.status, chat.view.statusText], ['busy', 'Reading files']);
      last.end();
      await until('the end', () => chat.view.status === 'idle');
      assert.match(problem(), /^The disk is full\./);
    } finally {
      await window.remove();
    }
  });

  it('works in memory if no folder can be created, reports it once, and can be found and deleted', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'home-'));
    await writeFile(path.join(root, 'storage'), 'a file');
    const clock = new FakeClock();
    const storeClock = new FakeClock();
    const warnings: string[] = [];
    const log = { ...nullLogger, warn: (message: string) => void warnings.push(message) };
    const folder = path.join(root, 'storage', 'conversations');
    const window = await Window.open({ folder, clock, storeClock, log });
    try {
      const chat = await window.chats.create('one');
      let changes = 0;
      let shown = chat.view.problem;
      chat.onDidChange(() => {
        if (chat.view.problem !== shown) changes++;
        shown = chat.view.problem;
      });
      for (const text of ['One', 'Two']) {
        await chat.send(draft(text));
        window.agent.last.end('Done.');
        await until('the end', () => outline(chat).at(-1) === 'end: completed');
      }
      await until('the problem', () => chat.view.problem !== undefined);
      const heads = (): number => warnings.filter((message) => message.startsWith('Cannot write the head')).length;
      const tryAgain = async (title: string): Promise<void> => {
        await window.chats.rename(chat.id, title);
        storeClock.advance(5000);
        await settled();
      };
      await eventually('a head is tried', async () => {
        await tryAgain('One, renamed');
        assert.notEqual(heads(), 0);
      });
      for (let retry = 0; retry < 5; retry++) await tryAgain(`One, renamed ${retry}`);
      assert.match(chat.view.problem ?? '', /A file is where a folder should be\. .* in memory only/);
      assert.equal(changes, 1);
      assert.equal(heads(), 1, warnings.join('\n'));
      assert.deepEqual(
        warnings.filter((message, index) => warnings.indexOf(message) !== index),
        [],
        'nothing is logged twice',
      );
      for (let minute = 0; minute < 30; minute++) clock.advance(60_000);
      assert.equal(await window.chats.open(chat.id), chat, 'it is in memory, so it is not let go');
      assert.deepEqual(
        (await rowsFound(window.chats, 'One')).map(({ id }) => id),
        [chat.id],
      );
      await window.chats.delete(chat.id);
      assert.deepEqual(window.chats.rows, []);
    } finally {
      await window.close();
      await rm(root, { recursive: true });
    }
  });
});
