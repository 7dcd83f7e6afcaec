import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { userMessageOf } from '../../../../src/base/common/errors';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { describeWriteProblem } from '../../../../src/chat/node/log/logWriter';
import { ConversationStore } from '../../../../src/chat/node/conversationStore';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';
import { draft, Window } from '../support/window';

describe('A conversation whose files are missing', () => {
  it('reports that, is not shown as taken over, and is saved once they are back', async () => {
    const storeClock = new FakeClock();
    const window = await Window.open({ storeClock });
    const passes = (): void => storeClock.advance(10_000);
    try {
      const chat = await window.chats.create('one');
      await chat.send(draft('Go'));
      const { last } = window.agent;
      last.say('before');
      const folder = path.join(window.folder, chat.id);
      await until('the log', async () => {
        passes();
        return (await readFile(path.join(folder, 'log.jsonl'), 'utf8')).includes('before');
      });

      await rename(folder, `${folder}-unmounted`);
      last.say('meanwhile');
      await until('the problem', () => {
        passes();
        return chat.view.problem?.startsWith('This conversation’s files are missing.') === true;
      });
      assert.equal(chat.view.status, 'busy');
      assert.equal(chat.isOutdated, false);

      await rename(`${folder}-unmounted`, folder);
      await rm(path.join(folder, 'lock'));
      await until('no problem', () => {
        passes();
        return chat.view.problem === undefined;
      });
      const kept = await readFile(path.join(folder, 'log.jsonl'), 'utf8');
      assert.ok(kept.includes('before') && kept.includes('meanwhile'));
      assert.ok(!kept.includes('\0'));
    } finally {
      await window.remove();
    }
  });

  it('never starts in the middle of a deleted file', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-hole-'));
    try {
      await assert.rejects(new NodeFiles().writeAtAndTruncate(path.join(folder, 'log'), 10, Buffer.from('x')), {
        code: 'ENOENT',
      });
      assert.deepEqual(await readdir(folder), []);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('Leftovers of a window that ended while writing', () => {
  it('are removed by the next window, except files being written', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-left-'));
    const heads = path.join(folder, 'heads');
    await mkdir(heads);
    await writeFile(path.join(heads, 'session-1.json.0a1b2c3d4e5f.tmp'), '{');
    await writeFile(path.join(heads, 'session-2.json.0a1b2c3d4e5f.tmp'), '{');
    await utimes(path.join(heads, 'session-1.json.0a1b2c3d4e5f.tmp'), 1_000, 1_000);
    const clock = new FakeClock();
    clock.advance(Date.now());
    const store = new ConversationStore({ folder, files: new NodeFiles(), clock, log: nullLogger });
    try {
      await store.start();
      assert.deepEqual(await readdir(heads), ['session-2.json.0a1b2c3d4e5f.tmp']);
    } finally {
      store.dispose();
      await rm(folder, { recursive: true });
    }
  });
});

describe('describeWriteProblem', () => {
  it('describes system errors in plain words instead of Node.js codes', async () => {
    const error: unknown = await new NodeFiles().touch('/nowhere/at/all').catch((thrown: unknown) => thrown);
    assert.equal(userMessageOf(error), 'The file or folder is missing.');
    const open = Object.assign(new Error("EMFILE: too many open files, open '/home/me/log.jsonl'"), {
      code: 'EMFILE',
      syscall: 'open',
    });
    assert.match(userMessageOf(open), /^Too many files are open\./);
    assert.match(describeWriteProblem(open), /^The conversation could not be saved\. Too many files are open\./);
    assert.equal(userMessageOf(new Error('The agent has no such file.')), 'The agent has no such file.');
  });
});
