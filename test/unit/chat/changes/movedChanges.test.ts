import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { TestWorkspace } from '../../changes/support/workspace';
import { changeLines, DiskWindow } from '../support/diskWindow';

describe('the changes of a conversation whose folder was moved', () => {
  let workspace: TestWorkspace;
  let window: DiskWindow;
  let id: string;
  const moved = (...names: string[]): string => path.join(workspace.root, 'moved', ...names);

  beforeEach(async () => {
    workspace = new TestWorkspace();
    workspace.write({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    window = await DiskWindow.open(workspace, { knowsPlaces: true });
    const chat = await window.create();
    await window.turn(chat, () => {
      for (const name of ['a.txt', 'b.txt', 'c.txt']) appendFileSync(workspace.file(name), 'agent\n');
    });
    await chat.restores.whenTurnRecorded();
    ({ id } = chat);
    await window.close();
  });
  afterEach(async () => {
    await window.close();
    await workspace.dispose();
  });

  async function openMoved(): Promise<Chat> {
    window = await DiskWindow.open(workspace, { knowsPlaces: true, folders: [moved()] });
    await window.locateFolder(workspace.folder, moved());
    return await window.reopen(id);
  }
  const noticesOf = (chat: Chat): string[] =>
    [...chat.transcript.entries()].flatMap((entry) => (entry.kind === 'notice' ? entry.text : []));

  it('are reviewed and undone where the folder is now, with nothing to say if all is as it was', async () => {
    renameSync(workspace.folder, moved());
    const chat = await openMoved();
    assert.deepEqual(noticesOf(chat), []);
    assert.deepEqual(changeLines(chat, moved()), ['modified a.txt', 'modified b.txt', 'modified c.txt']);
    await chat.revert(moved('a.txt'));
    assert.equal(readFileSync(moved('a.txt'), 'utf8'), 'a\n');
    await chat.keepChanges(moved('b.txt'));
    assert.deepEqual(changeLines(chat, moved()).slice(0, 1), ['modified c.txt']);
  });

  it('name the files that are not as the agent left them there, once, and spare what is different', async () => {
    renameSync(workspace.folder, moved());
    writeFileSync(moved('b.txt'), `mine\n${readFileSync(moved('b.txt'), 'utf8')}`);
    renameSync(moved('c.txt'), moved('gone.txt'));
    const chat = await openMoved();
    const told = `This conversation works in ${moved()} now. 2 files there are not as the agent left them: “b.txt” and “c.txt”. What differs counts as your edits.`;
    assert.deepEqual(noticesOf(chat), [told]);
    assert.equal(await chat.fileChanges.baseline(moved('b.txt')), 'mine\nb\n');
    await window.close();
    window = await DiskWindow.open(workspace, { knowsPlaces: true, folders: [moved()] });
    assert.deepEqual(noticesOf(await window.reopen(id)), [told]);
  });
});
