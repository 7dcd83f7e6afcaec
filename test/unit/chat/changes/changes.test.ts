import assert from 'node:assert/strict';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { ObservedWrites, withObservedWrites } from '../../../../src/editor/common/writeObserver';
import { ChatBackends } from '../support/chatBackend';
import { event } from '../support/transcriptRecorder';
import { until } from '../../../support/eventually';
import { draft, outline, settled, Window } from '../support/window';

describe('Changes of a conversation', () => {
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

  async function next(chat: Chat, ...steps: (() => Promise<void> | void)[]) {
    const ends = () => outline(chat).filter((line) => line === 'end: completed').length;
    const before = ends();
    await chat.send(draft('Go on'));
    for (const step of steps) await step();
    window.agent.last.end();
    await until('the end', () => ends() > before);
    await until('its changes', () => statesOf(chat).length > before);
  }

  /** Of the first file of each turn, as its end tells it. */
  const statesOf = (chat: Chat) =>
    [...chat.transcript.entries()].flatMap((entry) => (entry.kind === 'end' ? (entry.changes?.[0]?.state ?? []) : []));

  const write = (path: string, text: string) => async () => {
    const writer = { backendId: 'one', sessionId: window.agent.last.id };
    await window.chats.beforeWrite(writer, path);
    window.editor.setFile(path, text);
    await window.chats.afterWrite(writer, path);
  };

  it('list the files that really differ, including new ones', async () => {
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
    assert.equal(await chat.fileChanges.textBefore('/ws/a.txt'), 'one\n');
    assert.equal(await chat.fileChanges.textBefore('/ws/new.txt'), null);
  });

  it('list what a failed write has written, and take no later save by the user for the agent’s', async () => {
    const writer = () => ({ backendId: 'one', sessionId: window.agent.last.id });
    const chat = await turn(async () => {
      await window.chats.beforeWrite(writer(), '/ws/a.txt');
      await window.chats.afterFailedWrite(writer(), '/ws/a.txt');
      window.editor.setFile('/ws/a.txt', 'by the user\n');
      window.saved.fire('/ws/a.txt');
      await window.chats.beforeWrite(writer(), '/ws/new.txt');
      window.editor.setFile('/ws/new.txt', 'new\n');
      await window.chats.afterFailedWrite(writer(), '/ws/new.txt');
    });
    await until('the changes', () => chat.view.changes.length > 0);
    assert.deepEqual(
      chat.view.changes.map(({ path }) => path),
      ['/ws/new.txt'],
    );
  });

  describe('whose write is refused because the file is not a text', () => {
    const latin = '/ws/latin.txt';
    const refused = async () => {
      const writer = { backendId: 'one', sessionId: window.agent.last.id };
      const files = withObservedWrites(window.editor, new ObservedWrites(window.chats, writer));
      await assert.rejects(files.writeText(latin, 'new\n'), { code: 'notText' });
    };
    const becomesBinary = () => void window.editor.notText.add(latin);
    const endsOf = (chat: Chat) =>
      [...chat.transcript.entries()].flatMap((entry) => (entry.kind === 'end' ? [entry.changes] : []));

    beforeEach(() => window.editor.setFile(latin, 'caf\ufffd\n'));

    it('are not listed, and do not keep the other changes from being undone', async () => {
      becomesBinary();
      const chat = await turn(refused, write('/ws/a.txt', 'two\n'), refused);
      await until('the changes', () => chat.view.changes.length > 0);
      const applied = { change: 'modified', added: 1, removed: 1, state: 'applied' };
      assert.deepEqual(chat.view.changes, [{ path: '/ws/a.txt', ...applied }]);
      assert.deepEqual(endsOf(chat), [[{ path: '/ws/a.txt', ...applied }]]);
      assert.deepEqual(chat.fileChanges.filesOfTurns({ first: 1, last: 1 }), [{ path: '/ws/a.txt' }]);
      for (const { path } of chat.view.changes) await chat.revert(path);
      assert.deepEqual(chat.view.changes, []);
      assert.equal(window.editor.diskText('/ws/a.txt'), 'one\n');
    });

    it('are listed with unknown contents if an earlier write had succeeded', async () => {
      const chat = await turn(write(latin, 'cafe\n'), becomesBinary, refused);
      await until('the changes', () => chat.view.changes.length > 0);
      const unknown = [{ path: latin, change: 'modified', added: 0, removed: 0, state: 'unknown' }];
      assert.deepEqual(chat.view.changes, unknown);
      assert.deepEqual(endsOf(chat), [unknown]);
      await assert.rejects(chat.revert(latin), { code: 'changedSince' });
    });

    it('are listed with unknown contents if the file was a text before the write', async () => {
      const chat = await turn(async () => {
        const writer = { backendId: 'one', sessionId: window.agent.last.id };
        await window.chats.beforeWrite(writer, latin);
        becomesBinary();
        await window.chats.afterFailedWrite(writer, latin);
      });
      await until('the changes', () => chat.view.changes.length > 0);
      assert.deepEqual(
        chat.view.changes.map(({ path, state }) => `${path} ${state}`),
        [`${latin} unknown`],
      );
    });
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

  it('are reverted and compared without reading the other changed files', async () => {
    const { editor } = window;
    const chat = await turn(write('/ws/a.txt', 'two\n'), write('/ws/b.txt', 'b\n'), write('/ws/c.txt', 'c\n'));
    await until('the changes', () => chat.view.changes.length === 3);
    await settled();
    const read = new Set<string>();
    editor.beforeRequest = (path) => Promise.resolve(void read.add(path));
    await chat.revert('/ws/a.txt');
    assert.deepEqual([...read], ['/ws/a.txt']);
    editor.setFile('/ws/b.txt', 'b\nmore\n');
    editor.setFile('/ws/c.txt', 'c\nmore\n');
    await chat.fileChanges.refresh(new Set(['/ws/b.txt']));
    assert.deepEqual([...read], ['/ws/a.txt', '/ws/b.txt']);
    await chat.fileChanges.refresh();
    assert.deepEqual([...read], ['/ws/a.txt', '/ws/b.txt', '/ws/c.txt']);
  });

  it('of protected files are reverted only after the user confirms', async () => {
    window.editor.setFile('/ws/.vscode/tasks.json', '{}');
    const chat = await turn(write('/ws/.vscode/tasks.json', '[]'), write('/ws/AGENTS.md', 'new'));
    await until('the changes', () => chat.view.changes.length === 2);
    await assert.rejects(chat.revert('/ws/.vscode/tasks.json'), { code: 'protected' });
    assert.equal(window.editor.diskText('/ws/.vscode/tasks.json'), '[]');
    assert.equal(chat.view.changes.length, 2);
    await chat.revert('/ws/.vscode/tasks.json', { protectedFiles: 'allow' });
    await chat.revert('/ws/AGENTS.md', { protectedFiles: 'allow' });
    assert.equal(window.editor.diskText('/ws/.vscode/tasks.json'), '{}');
    assert.deepEqual(window.deletions, [['/ws/AGENTS.md', 'allow']]);
    assert.deepEqual(chat.view.changes, []);
  });

  it('can be reverted turn by turn, the last turn first', async () => {
    const chat = await turn(write('/ws/a.txt', 'two\n'));
    await next(chat, write('/ws/a.txt', 'three\n'));
    assert.deepEqual(statesOf(chat), ['changedSince', 'applied']);
    await chat.revert('/ws/a.txt', { turn: 2 });
    assert.equal(window.editor.diskText('/ws/a.txt'), 'two\n');
    assert.deepEqual(statesOf(chat), ['applied', 'reverted']);
    assert.deepEqual(
      chat.view.changes.map(({ state }) => state),
      ['applied'],
    );
    await chat.revert('/ws/a.txt', { turn: 1 });
    assert.equal(window.editor.diskText('/ws/a.txt'), 'one\n');
    assert.deepEqual(chat.view.changes, []);
    assert.deepEqual(statesOf(chat), ['reverted', 'reverted']);
  });

  it('of one turn do not overwrite later changes unless the user wants it', async () => {
    const chat = await turn(write('/ws/a.txt', 'two\n'));
    await next(chat, write('/ws/a.txt', 'three\n'));
    await assert.rejects(chat.revert('/ws/a.txt', { turn: 1 }), { code: 'changedSince' });
    assert.equal(window.editor.diskText('/ws/a.txt'), 'three\n');
    await chat.revert('/ws/a.txt', { turn: 1, force: true });
    assert.equal(window.editor.diskText('/ws/a.txt'), 'one\n');
    assert.deepEqual(statesOf(chat), ['reverted', 'changedSince']);
    await assert.rejects(chat.revert('/ws/b.txt', { turn: 1 }), { code: 'notFound' });
  });

  it('of one turn can be reverted in another window, even for a file that the turn created', async () => {
    const chat = await turn(write('/ws/a.txt', 'two\n'));
    await next(chat, write('/ws/a.txt', 'three\n'), write('/ws/new.txt', 'new\n'));
    const { editor, folder } = window;
    await window.close();
    window = await Window.open({ folder, editor, backends: new ChatBackends('one') });
    const again = await window.chats.open(chat.id);
    await again.revert('/ws/a.txt', { turn: 2 });
    await again.revert('/ws/new.txt', { turn: 2 });
    assert.equal(editor.diskText('/ws/a.txt'), 'two\n');
    await assert.rejects(editor.readText('/ws/new.txt'), { code: 'notFound' });
    await window.close();
    window = await Window.open({ folder, editor, backends: new ChatBackends('one') });
    const last = await window.chats.open(chat.id);
    assert.deepEqual(last.view.changes, [
      { path: '/ws/a.txt', change: 'modified', added: 1, removed: 1, state: 'applied' },
    ]);
    await last.revert('/ws/a.txt');
    assert.equal(editor.diskText('/ws/a.txt'), 'one\n');
  });

  it('are not reverted over later edits of the user unless the user wants it', async () => {
    const chat = await turn(write('/ws/a.txt', 'two\n'));
    await until('the changes', () => chat.view.changes.length === 1);
    window.editor.setFile('/ws/a.txt', 'two\nmine\n');
    await assert.rejects(chat.revert('/ws/a.txt'), { code: 'changedSince' });
    chat.setVisibility('seen');
    await until('the state', () => chat.view.changes[0]?.state === 'changedSince');
    await chat.revert('/ws/a.txt', { force: true });
    assert.equal(window.editor.diskText('/ws/a.txt'), 'one\n');
  });

  it('are no longer listed after they are kept', async () => {
    const chat = await turn(write('/ws/a.txt', 'two\n'));
    await until('the changes', () => chat.view.changes.length === 1);
    await chat.keepChanges();
    assert.deepEqual(chat.view.changes, []);
  });

  it('by tools that write files themselves are detected', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    window.agent.last.tell(edit('/ws/a.txt'));
    await settled();
    window.editor.setFile('/ws/a.txt', 'two\n');
    window.agent.last.tell(done('/ws/a.txt'));
    window.agent.last.end();
    await until('the changes', () => chat.view.changes.length === 1);
    assert.equal(await chat.fileChanges.textBefore('/ws/a.txt'), 'one\n');
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
