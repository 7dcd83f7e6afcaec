import assert from 'node:assert/strict';
import { textBeforeChange } from '../../../src/chat/common/fileFacts';
import { ChatBackends } from './support/chatBackend';
import { event } from './support/told';
import { draft, outline, until, Window } from './support/window';

describe('the changes of a conversation', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
  });
  afterEach(() => window.remove());

  const edit = (path: string) =>
    event('tool:pre', { tool_name: 'edit_file', operation: 'edit_file', input: { path }, call_id: path });

  async function turn(...steps: (() => Promise<void> | void)[]) {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    for (const step of steps) await step();
    window.agent.last.end();
    await until('the end', () => outline(chat).includes('end: completed'));
    return chat;
  }

  const write = (path: string, text: string) => async () => {
    await window.chats.beforeWrite({ backendId: 'one', sessionId: window.agent.last.id }, path);
    window.editor.setFile(path, text);
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
    const isKnown = async () => (await chat.textBefore('/ws/a.txt')) !== undefined;
    for (let tries = 0; tries < 100 && !(await isKnown()); tries++) await new Promise(setImmediate);
    window.editor.setFile('/ws/a.txt', 'two\n');
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

describe('the text before a change', () => {
  const cases: [string, string | null, string | null, string, string | null][] = [
    ['that is not made yet', 'a b c', 'b', 'x', 'a b c'],
    ['that is made', 'a x c', 'b', 'x', 'a b c'],
    ['of a whole file', 'new', 'old', 'new', 'old'],
    ['that creates the file', 'new', null, 'new', null],
    ['that takes a piece away, not made yet', 'a b', 'a b', 'a', 'a b'],
    ['that adds to a piece, made', 'a b', 'a', 'a b', 'a'],
    ['whose place is not clear', 'x x', 'b', 'x', 'x x'],
    ['of a file that is not there yet', null, null, 'new', null],
  ];
  for (const [name, now, old, after, before] of cases) {
    it(name, () => assert.equal(textBeforeChange(now, { path: 'a', old, new: after }), before));
  }
});
