import assert from 'node:assert/strict';
import { readFile, rm, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import { deleteFile } from '../../../src/chat/vscode/review/deleteFile';
import type { FakeChat } from '../../fake/fakeChats';
import { eventually } from '../../support/eventually';
import { ChatUnderTest, type PageUnderTest } from '../support/chat';
import { closeAll, inWorkspace, show, writeInWorkspace } from '../support/workspace';

describe('protected files and the commands of the chat', () => {
  let subject: ChatUnderTest;
  let chat: FakeChat;
  let page: PageUnderTest;
  let tasks: string;
  /** One for each test: VS Code still knows files of the one before. */
  let folder = '';
  let tests = 0;

  beforeEach(async () => {
    subject = await ChatUnderTest.start();
    chat = subject.chats.add('one');
    folder = `guarded/${++tests}`;
    tasks = await writeInWorkspace(`${folder}/.vscode/tasks.json`, '{}\n');
    await show(await writeInWorkspace(`${folder}/first.txt`, 'first'));
    page = await subject.tab('one', vscode.ViewColumn.Two);
  });
  afterEach(async () => {
    await subject.dispose();
    await closeAll();
    await rm(inWorkspace('guarded'), { recursive: true, force: true });
  });

  const onDisk = (file: string): Promise<string> => readFile(file, 'utf8');

  async function propose(text: string, file: string): Promise<vscode.Uri> {
    await page.ask('applyCode', { text, path: file });
    return await eventually('a diff editor', () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      assert.ok(input instanceof vscode.TabInputTextDiff);
      return input.modified;
    });
  }

  it('apply code after a question that explains why', async () => {
    const uri = await propose('{ "version": "2.0.0" }', tasks);
    assert.deepEqual(subject.questions, []);
    await subject.window.code.apply(uri);
    assert.deepEqual(
      subject.questions.map(({ message, action }) => [message, action]),
      [[`Change ${folder}/.vscode/tasks.json? It is protected: VS Code runs tasks from this file.`, 'Apply']],
    );
    assert.match(await onDisk(tasks), /2\.0\.0/);
  });

  it('leave the file and the suggestion alone when the user says no', async () => {
    subject.isConfirmed = false;
    const uri = await propose('{ "version": "2.0.0" }', tasks);
    await subject.window.code.apply(uri);
    assert.equal(await onDisk(tasks), '{}\n');
    subject.isConfirmed = true;
    await subject.window.code.apply(uri);
    assert.match(await onDisk(tasks), /2\.0\.0/);
  });

  it('make a protected file after the question only', async () => {
    const hook = inWorkspace(folder, '.husky', 'pre-push');
    subject.isConfirmed = false;
    const uri = await propose('echo', hook);
    await subject.window.code.apply(uri);
    await assert.rejects(stat(hook));
    subject.isConfirmed = true;
    await subject.window.code.apply(uri);
    assert.match(await onDisk(hook), /^echo/);
  });

  it('ask nothing about other files', async () => {
    const file = await writeInWorkspace(`${folder}/a.ts`, 'const a = 1;\n');
    await subject.window.code.apply(await propose('const a = 2;', file));
    assert.match(await onDisk(file), /2/);
    assert.deepEqual(subject.questions, []);
  });

  it('insert text at the cursor of one after a question', async () => {
    const editor = await show(tasks);
    subject.isConfirmed = false;
    await page.ask('insertAtCursor', { text: '[1]' });
    assert.equal(editor.document.getText(), '{}\n');
    subject.isConfirmed = true;
    await page.ask('insertAtCursor', { text: '[1]' });
    assert.equal(editor.document.getText(), '[1]{}\n');
    assert.deepEqual(
      subject.questions.map(({ action }) => action),
      ['Insert', 'Insert'],
    );
  });

  it('revert one after a question', async () => {
    const reverted: unknown[] = [];
    chat.before.set(tasks, '[]\n');
    chat.change({ changes: [{ path: tasks, change: 'modified', added: 1, removed: 1, state: 'applied' }] });
    chat.onRevert = (path, _force, options) => {
      reverted.push([path, options.protectedFiles]);
      return Promise.resolve();
    };
    subject.isConfirmed = false;
    await page.ask('revert', { sessionId: 'one', path: tasks });
    assert.deepEqual(reverted, []);
    subject.isConfirmed = true;
    await page.ask('revert', { sessionId: 'one', path: tasks });
    assert.deepEqual(reverted, [[tasks, 'allow']]);
    assert.match(
      subject.questions[0]?.message ?? '',
      /^Undo the agent’s changes in guarded\/\d+\/\.vscode\/tasks\.json\? It is protected: VS Code/,
    );
  });

  it('revert several after one question that names the protected ones', async () => {
    const reverted: unknown[] = [];
    const manifest = await writeInWorkspace(`${folder}/package.json`, '{"version":"2","scripts":{}}');
    const other = await writeInWorkspace(`${folder}/b.ts`, 'b');
    chat.before.set(tasks, '[]\n');
    chat.before.set(manifest, '{"version":"1","scripts":{}}');
    chat.before.set(other, 'a');
    chat.change({
      changes: [other, manifest, tasks].map((path) => ({
        path,
        change: 'modified',
        added: 1,
        removed: 1,
        state: 'applied',
      })),
    });
    chat.onRevert = (path, _force, options) => {
      reverted.push([path, options.protectedFiles]);
      return Promise.resolve();
    };
    await page.ask('revert', { sessionId: 'one' });
    assert.deepEqual(reverted, [
      [other, 'refuse'],
      [manifest, 'refuse'],
      [tasks, 'allow'],
    ]);
    assert.equal(subject.questions.length, 1);
    assert.deepEqual(subject.questions[0]?.detail?.split('\n'), [
      'Your own edits stay.',
      '',
      'Protected files:',
      `${folder}/.vscode/tasks.json: VS Code runs tasks from this file`,
      '',
      `${folder}/b.ts`,
      `${folder}/package.json`,
    ]);
  });

  it('delete one with the user’s word only', async () => {
    const { adapter } = subject.editor;
    await assert.rejects(deleteFile(adapter, tasks, { protectedFiles: 'refuse' }), { code: 'protected' });
    await assert.rejects(deleteFile(adapter, tasks, {}), { code: 'protected' });
    assert.equal(await onDisk(tasks), '{}\n');
    await deleteFile(adapter, tasks, { protectedFiles: 'allow' });
    await assert.rejects(stat(tasks));
  });
});
