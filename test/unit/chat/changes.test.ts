import assert from 'node:assert/strict';
import { ChatBackends } from './support/chatBackend';
import { event } from './support/told';
import { draft, outline, settled, until, Window } from './support/window';

describe('the changes of a conversation', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
  });
  afterEach(() => window.remove());

  const edit = (path: string) =>
    event('tool:pre', { tool_name: 'edit_file', operation: 'edit_file', input: { path }, call_id: path });

  const done = (path: string, success = true) =>
    event('tool:post', { tool_name: 'edit_file', operation: 'edit_file', call_id: path, result: { success } });

  async function turn(...steps: (() => Promise<void> | void)[]) {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    for (const step of steps) await step();
    window.agent.last.end();
    await until('the end', () => outline(chat).includes('end: completed'));
    return chat;
  }

  const write = (path: string, text: string) => async () => {
    const writer = { backendId: 'one', sessionId: window.agent.last.id };
    await window.chats.beforeWrite(writer, path);
    window.editor.setFile(path, text);
    await window.chats.afterWrite(writer, path);
  };

  it('are the files that really differ, also new ones', async () => {
    const chat = await turn(write('/ws/a.txt', 'one\ntwo\n'), write('/ws/new.txt', 'new\n'), () =>
      window.chats.beforeWrite({ backendId: 'one', sessionId: window.agent.last.id }, '/ws/never.txt'),
    );
    await until('the changes', () => chat.view.changes.length === 2);
    assert.deepEqual(chat.view.changes, [
      { path: '/ws/a.txt', change: 'modified', added: 1, removed: 0, state: 'applied' },
      { path: '/ws/new.txt', change: 'created', added: 1, removed: 0, state: 'applied' },
    ]);
    const end = [...chat.transcript.entries()].at(-1);
    assert.ok(end?.kind === 'end');
    assert.equal(end.changes?.length, 2);
    assert.equal(await chat.textBefore('/ws/a.txt'), 'one\n');
    assert.equal(await chat.textBefore('/ws/new.txt'), null);
  });

  it('can be reverted, created files by deleting them', async () => {
    const chat = await turn(write('/ws/a.txt', 'two\n'), write('/ws/new.txt', 'new\n'));
    await until('the changes', () => chat.view.changes.length === 2);
    await chat.revert('/ws/a.txt');
    await chat.revert('/ws/new.txt');
    assert.equal(window.editor.diskText('/ws/a.txt'), 'one\n');
    await assert.rejects(window.editor.readText('/ws/new.txt'), { code: 'notFound' });
    assert.deepEqual(chat.view.changes, []);
  });

  it('are not reverted over what the user has written since, unless the user wants that', async () => {
    const chat = await turn(write('/ws/a.txt', 'two\n'));
    await until('the changes', () => chat.view.changes.length === 1);
    window.editor.setFile('/ws/a.txt', 'two\nmine\n');
    await assert.rejects(chat.revert('/ws/a.txt'), { code: 'changedSince' });
    chat.isShown = true;
    await until('the state', () => chat.view.changes[0]?.state === 'changedSince');
    await chat.revert('/ws/a.txt', { force: true });
    assert.equal(window.editor.diskText('/ws/a.txt'), 'one\n');
  });

  it('are no longer listed when they are kept', async () => {
    const chat = await turn(write('/ws/a.txt', 'two\n'));
    await until('the changes', () => chat.view.changes.length === 1);
    await chat.keepChanges();
    assert.deepEqual(chat.view.changes, []);
  });

  it('are seen of tools that write by themselves', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    window.agent.last.tell(edit('/ws/a.txt'));
    await settled();
    window.editor.setFile('/ws/a.txt', 'two\n');
    window.agent.last.tell(done('/ws/a.txt'));
    window.agent.last.end();
    await until('the changes', () => chat.view.changes.length === 1);
    assert.equal(await chat.textBefore('/ws/a.txt'), 'one\n');
  });

  it('can be reverted after the window was closed', async () => {
    const chat = await turn(write('/ws/a.txt', 'two\n'));
    await until('the changes', () => chat.view.changes.length === 1);
    const { editor, folder } = window;
    await window.close();
    window = await Window.open({ folder, editor, backends: new ChatBackends('one') });
    const again = await window.chats.open(chat.id);
    assert.equal(again.view.changes.length, 1);
    await again.revert('/ws/a.txt');
    assert.equal(editor.diskText('/ws/a.txt'), 'one\n');
  });
});
