import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { ConversationToShow } from '../../../../src/chat/node/windows/conversationToShow';

describe('the conversation that a new window shows', () => {
  let folder: string;
  let now = 1_000_000;
  let note: ConversationToShow;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-note-'));
    note = new ConversationToShow(folder, () => now);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is told to the window with the folder, once', async () => {
    await note.leave(['/work/a'], 'one');
    assert.equal(await note.take(['/work/b']), undefined);
    assert.equal(await note.take([]), undefined);
    assert.equal(await note.take(['/work/b', '/work/a']), 'one');
    assert.equal(await note.take(['/work/a']), undefined);
    assert.deepEqual(await readdir(folder), []);
  });

  it('is told to the window with the saved workspace, whatever folders that has now', async () => {
    await note.leave(['/work/a', '/work/all.code-workspace'], 'one');
    assert.equal(await note.take(['/work/b', '/work/all.code-workspace']), 'one');
  });

  it('is the last one that the user wanted, and none after a minute', async () => {
    await note.leave(['/work/a'], 'one');
    await note.leave(['/work/a'], 'two');
    assert.equal(await note.take(['/work/a']), 'two');
    await note.leave(['/work/a'], 'three');
    now += 60_001;
    assert.equal(await note.take(['/work/a']), undefined);
  });

  it('is none if the note cannot be read', async () => {
    await writeFile(path.join(folder, 'show-conversation.json'), '{"folder":');
    assert.equal(await note.take(['/work/a']), undefined);
  });
});
