import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { TestWorkspace } from '../../changes/support/workspace';
import { event } from '../support/transcriptRecorder';
import { changeLines, DiskWindow } from '../support/diskWindow';

describe('a file with several paths', () => {
  let workspace: TestWorkspace;
  let window: DiskWindow;

  beforeEach(() => {
    workspace = new TestWorkspace();
    workspace.write({ 'a.txt': 'a\n', 'sub/c.txt': 'c\n' });
    symlinkSync('a.txt', workspace.file('link.txt'));
    symlinkSync('sub', workspace.file('linked'));
    symlinkSync(workspace.folder, path.join(workspace.root, 'whole'));
  });
  afterEach(async () => {
    await window.close();
    await workspace.dispose();
  });

  const names = ['link.txt', 'linked/c.txt'] as const;
  const whole = (): string => path.join(workspace.root, 'whole');
  const roots: readonly (readonly [string, () => readonly string[]])[] = [
    ['one folder', () => [workspace.folder]],
    ['a folder in a folder', () => [workspace.folder, workspace.file('sub')]],
    ['a folder and a link to it', () => [workspace.folder, whole()]],
    ['only a link to a folder', () => [whole()]],
  ];

  for (const [what, folders] of roots) {
    for (const isReported of [false, true]) {
      it(`is listed once where the workspace is ${what}, ${isReported ? 'though the agent names the link' : 'when a command writes it'}`, async () => {
        window = await DiskWindow.open(workspace, { folders: folders() });
        const chat = await window.create();
        await window.begin(chat);
        const [agent] = window.backends.backends;
        for (const name of names) {
          const file = path.join(folders()[0] ?? '', name);
          const call = { tool_name: 'edit_file', operation: 'edit_file', call_id: name };
          if (isReported) agent?.last.tell(event('tool:pre', { ...call, input: { path: file } }));
          appendFileSync(file, 'agent\n');
          if (isReported) agent?.last.tell(event('tool:post', { ...call, result: { success: true } }));
        }
        await window.end(chat);
        await chat.restores.whenTurnRecorded();
        assert.deepEqual(
          changeLines(chat, workspace.folder).map((line) => line.replace('../whole/', '')),
          ['modified a.txt', 'modified sub/c.txt'],
        );
      });
    }
  }

  it('is reviewed by the path of a link where an earlier version has recorded it by that', async () => {
    window = await DiskWindow.open(workspace);
    const chat = await window.create();
    await window.turn(chat, () => workspace.write({ 'a.txt': 'agent\n' }));
    await chat.restores.whenTurnRecorded();
    await window.close();
    const log = path.join(workspace.root, 'chats', chat.id, 'log.jsonl');
    const link = workspace.file('link.txt');
    writeFileSync(log, readFileSync(log, 'utf8').replaceAll(`${workspace.file('a.txt')}"`, `${link}"`));
    window = await DiskWindow.open(workspace);
    const again = await window.reopen(chat.id);
    assert.deepEqual(changeLines(again, workspace.folder), ['modified link.txt']);
    assert.equal(await again.fileChanges.textBefore(link), 'a\n');
    assert.equal(await again.fileChanges.baseline(link), 'a\n');
    assert.equal((await again.fileChanges.countUneditedChanges(link)).total, 1);
    assert.equal((await again.fileChanges.turnTexts(link, 1))?.before, 'a\n');
  });
});
