import assert from 'node:assert/strict';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { FileRestorer } from '../../../../src/chat/common/restore/fileRestorer';
import { FakeCheckpoints } from '../../../fake/fakeCheckpoints';
import { FakeEditor } from '../../../fake/fakeEditor';
import { eventually, until } from '../../../support/eventually';
import { ChatBackends } from '../support/chatBackend';
import { event } from '../support/transcriptRecorder';
import { draft, outline, settled, Window } from '../support/window';

const a = '/ws/a.txt';
const b = '/ws/b.txt';
const text = 'one\ntwo\nthree\nfour\nfive\n';

describe('Changes that no tool call names', () => {
  let editor: FakeEditor;
  let checkpoints: FakeCheckpoints;
  let window: Window;
  let chat: Chat;
  beforeEach(async () => {
    editor = new FakeEditor({ [a]: text });
    checkpoints = new FakeCheckpoints(editor);
    window = await Window.open({ editor, checkpoints });
    chat = await window.chats.create('one');
  });
  afterEach(() => window.remove());

  const states = () => chat.view.changes.map(({ change, path, state }) => `${path} ${change} ${state}`);
  const seen = async (path: string) => ({
    baseline: (await chat.fileChanges.baseline(path)) ?? '',
    text: editor.bufferText(path),
  });

  async function end(): Promise<void> {
    const ends = (): number => outline(chat).filter((line) => line.startsWith('end:')).length;
    const before = ends();
    window.agent.last.end();
    await until('the end', () => ends() > before);
    await settled();
  }

  async function runTurnThatCreates(path: string): Promise<void> {
    await chat.send(draft('Go'));
    editor.setFile(path, 'of the agent\n');
    await end();
    await eventually('the change', () => assert.equal(states().length, 1));
  }

  it('are found at the end of the turn: a created, changed or deleted file', async () => {
    editor.setFile(b, 'b\n');
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('two', 'TWO'));
    editor.deleteFile(b);
    editor.setFile('/ws/new.txt', 'new\n');
    await end();
    const expected = [`${a} modified applied`, `${b} deleted applied`, '/ws/new.txt created applied'];
    await eventually('the changes', () => assert.deepEqual(states().sort(), expected.sort()));
    await chat.revert(a);
    await chat.revert(b);
    await chat.revert('/ws/new.txt');
    assert.equal(editor.diskText(a), text);
    assert.equal(editor.diskText(b), 'b\n');
    assert.deepEqual(states(), []);
  });

  it('are found until a stopped agent has really stopped', async () => {
    await chat.send(draft('Go'));
    const agent = window.agent.last;
    const cancel = agent.cancel.bind(agent);
    let hasStopped = (): void => undefined;
    agent.cancel = async () => {
      await new Promise<void>((resolve) => {
        hasStopped = resolve;
      });
      editor.setFile(a, text.replace('two', 'TWO'));
      await cancel();
    };
    const stopped = chat.stop();
    await settled();
    assert.deepEqual(states(), []);
    hasStopped();
    await stopped;
    await eventually('the change', () => assert.deepEqual(states(), [`${a} modified applied`]));
  });

  it('are counted by line, and a renamed file has its former path', async () => {
    editor.setFile(b, 'b\n');
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('two', 'TWO').replace('five', 'FIVE'));
    editor.deleteFile(b);
    editor.setFile('/ws/renamed.txt', 'b\n');
    editor.setFile('/ws/other.txt', 'other\n');
    await end();
    await until('the changes', () => chat.view.changes.length === 3);
    const shown = chat.view.changes.map(({ added, path, renamedFrom }) => [path, added, renamedFrom]);
    const expected = [
      [a, 2, undefined],
      ['/ws/other.txt', 1, undefined],
      ['/ws/renamed.txt', 1, b],
    ];
    assert.deepEqual(shown.sort(), expected);
    const { changes = [] } = [...chat.transcript.entries()].find((entry) => entry.kind === 'end') ?? {};
    assert.ok(changes.some(({ renamedFrom }) => renamedFrom === b));
  });

  it('are named where no checkpoint has the file, such as one that Git ignores, if it is gone', async () => {
    const [env, log] = ['/ws/settings.local', '/ws/debug.log'];
    const notices = () =>
      [...chat.transcript.entries()].flatMap((entry) => (entry.kind === 'notice' ? [[entry.text, entry.details]] : []));
    for (const path of [env, log]) {
      editor.setFile(path, 'mine\n');
      checkpoints.ignored.add(path);
    }
    const deletedInTurn = async (path: string, runsCommand: boolean) => {
      for (const agent of [window.agent, ...window.agent.sessions]) agent.runsCommand = runsCommand;
      await chat.send(draft('Go'));
      editor.deleteFile(path);
      await end();
      await chat.restores.whenTurnRecorded();
    };
    await deletedInTurn(log, true);
    const one =
      'A file or folder is gone since this turn began, and can’t be restored: it was not in the checkpoint, because Git ignores it, or it is excluded or too large.';
    assert.deepEqual(notices(), [[one, log]]);
    await deletedInTurn(env, true);
    assert.deepEqual(notices(), [
      [one, log],
      [one, env],
    ]);
    editor.setFile(env, 'mine again\n');
    await deletedInTurn(env, false);
    assert.equal(notices().length, 2, 'no command ran');
    editor.setFile(env, 'once more\n');
    await deletedInTurn(env, true);
    assert.equal(notices().length, 3, 'gone again');
    assert.deepEqual(states(), []);
  });

  describe('while VS Code has an earlier text of the file in a document without unsaved changes', () => {
    const first = text.replace('one', 'ONE');
    const second = first.replace('five', 'FIVE');

    it('are those on disk: after a write of the agent through the editor, and after the turn', async () => {
      await chat.send(draft('Go'));
      const writer = { backendId: 'one', sessionId: window.agent.last.id };
      await window.chats.beforeWrite(writer, a);
      editor.setFile(a, first);
      await window.chats.afterWrite(writer, a);
      editor.changeOnDisk(a, second);
      await end();
      const counts = { added: 2, removed: 2, author: 'command' };
      const expected = [{ path: a, change: 'modified', ...counts, state: 'applied' }];
      await eventually('the change', () => assert.deepEqual(chat.view.changes, expected));
      assert.equal(editor.bufferText(a), first, 'VS Code still has the text from before');
      assert.equal((await chat.fileChanges.textsOfTurns(a, { first: 1, last: 1 })).after, second);
      editor.changeOnDisk(a, text.replace('five', 'FIVE'));
      await chat.fileChanges.refresh();
      assert.equal(await chat.fileChanges.baseline(a), text);
      editor.changeOnDisk(a, second);
      await chat.revert(a);
      assert.equal(editor.diskText(a), text);
      assert.deepEqual(states(), []);
    });

    it('are not taken for those of the user who undoes them', async () => {
      await chat.send(draft('Go'));
      editor.changeOnDisk(a, second);
      await end();
      await eventually('the change', () => assert.deepEqual(states(), [`${a} modified applied`]));
      const mine = second.replace('three', 'mine');
      editor.changeOnDisk(a, mine);
      await chat.revert(a);
      assert.equal(editor.diskText(a), text.replace('three', 'mine'));
    });
  });

  it('are undone as far as later edits of the same lines allow', async () => {
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('one', 'ONE').replace('five', 'FIVE'));
    await end();
    await eventually('the change', () => assert.equal(states().length, 1));
    const edited = editor.diskText(a).replace('FIVE', 'mine');
    editor.setFile(a, edited);
    await assert.rejects(chat.revert(a), { code: 'changedSince' });
    assert.deepEqual(await chat.fileChanges.countUneditedChanges(a), { separable: 1, total: 2 });
    assert.equal(editor.diskText(a), edited);
    assert.deepEqual(await chat.fileChanges.undoUneditedChanges(a, {}), { separable: 1, total: 2 });
    assert.equal(editor.diskText(a), text.replace('five', 'mine'));
    assert.deepEqual(states(), [`${a} modified changedSince`]);
    assert.deepEqual(await chat.fileChanges.countUneditedChanges(a), { separable: 0, total: 1 });
  });

  it('have texts for any range of turns', async () => {
    editor.setFile(b, 'b\n');
    const files = (first: number, last: number) => chat.fileChanges.filesOfTurns({ first, last });
    const textsOf = (path: string, first: number, last: number) => chat.fileChanges.textsOfTurns(path, { first, last });
    await chat.send(draft('Go'));
    editor.setFile(a, 'first\n');
    await end();
    await until('the first turn', () => files(1, 1).length === 1);
    await chat.send(draft('Go on'));
    editor.setFile(a, 'second\n');
    editor.deleteFile(b);
    editor.setFile('/ws/renamed.txt', 'b\n');
    await end();
    await until('the second turn', () => files(2, 2).length === 2);
    assert.deepEqual(files(2, 2), [{ path: a }, { path: '/ws/renamed.txt', renamedFrom: b }]);
    assert.deepEqual(await textsOf(a, 1, 1), { before: text, after: 'first\n', isCurrent: false });
    assert.deepEqual(await textsOf(a, 2, 2), { before: 'first\n', after: 'second\n', isCurrent: true });
    assert.deepEqual(await textsOf(a, 1, 2), { before: text, after: 'second\n', isCurrent: true });
    assert.deepEqual(await textsOf(b, 2, 2), { before: 'b\n', after: null, isCurrent: true });
    await chat.keepChanges();
    assert.equal(files(1, Infinity).length, 2, 'also what was kept');
    await chat.send(draft('And on'));
    editor.setFile(a, text);
    await end();
    await until('the third turn', () => files(3, 3).length === 1);
    assert.deepEqual(files(1, Infinity), [{ path: '/ws/renamed.txt', renamedFrom: b }], 'without what is as it was');
  });

  it('are found while the turn runs, after a tool call', async () => {
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('two', 'TWO'));
    const call = { tool_name: 'shell', operation: 'shell', call_id: 'c', kind: 'execute' };
    window.agent.last.tell(event('tool:pre', { ...call, input: {} }));
    window.agent.last.tell(event('tool:post', { ...call, result: { success: true } }));
    await eventually('the change', () => assert.deepEqual(states(), [`${a} modified applied`]));
    assert.ok(!outline(chat).some((line) => line.startsWith('end:')));
  });

  it('exclude what the user has saved in an editor during the turn', async () => {
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('two', 'mine'));
    window.saved.fire(a);
    editor.setFile(b, 'of the agent\n');
    await settled();
    await end();
    await eventually('the changes', () => assert.deepEqual(states(), [`${b} created applied`]));
  });

  it('are undone with a way back if a created file that somebody has edited since is deleted', async () => {
    await runTurnThatCreates(b);
    editor.setFile(b, 'edited\n');
    editor.type(b, 'edited, not saved\n');
    await assert.rejects(chat.revert(b), { code: 'changedSince' });
    const restoreId = await chat.revert(b, { force: true });
    assert.equal(editor.diskTextIfThere(b), null);
    assert.deepEqual(states(), []);
    const restore = chat.restores.get(restoreId ?? '');
    assert.ok(restore);
    const { signal } = new AbortController();
    const restorer = new FileRestorer({ chats: window.chats, checkpoints, newId: () => 'restore' });
    const files = await restorer.previewUndo(chat, restore, signal);
    assert.deepEqual(files.changedSince, []);
    await restorer.undo(chat, restore, { ...files, refused: [], left: [] }, signal);
    assert.equal(editor.diskText(b), 'edited, not saved\n');
    await chat.fileChanges.refresh();
    assert.deepEqual(states(), [`${b} created changedSince`]);
  });

  it('are not undone by a deletion that would lose edits, if no checkpoint can be taken', async () => {
    await runTurnThatCreates(b);
    editor.setFile(b, 'edited\n');
    checkpoints.problems = ['The disk is full.'];
    await assert.rejects(chat.revert(b, { force: true }), { code: 'storage' });
    assert.equal(editor.diskText(b), 'edited\n');
  });

  it('are undone by a deletion that can be undone, if Git ignores the file by now', async () => {
    await runTurnThatCreates(b);
    editor.setFile(b, 'edited\n');
    checkpoints.ignored.add(b);
    assert.equal(typeof (await chat.revert(b, { force: true })), 'string');
    assert.throws(() => editor.diskText(b));
  });

  it('are not undone by a deletion that would lose edits, if no checkpoint contains the file', async () => {
    await runTurnThatCreates(b);
    editor.setFile(b, 'edited\n');
    checkpoints.excluded.add(b);
    await assert.rejects(chat.revert(b, { force: true }), { code: 'storage' });
    assert.equal(editor.diskText(b), 'edited\n');
  });

  it('are undone without the lines of the user', async () => {
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('two', 'TWO'));
    await end();
    await eventually('the change', () => assert.equal(states().length, 1));
    editor.setFile(a, editor.diskText(a).replace('five', 'mine'));
    await chat.fileChanges.refresh();
    assert.deepEqual(states(), [`${a} modified applied`]);
    assert.equal(await chat.fileChanges.baseline(a), text.replace('five', 'mine'));
    await chat.revert(a);
    assert.equal(editor.diskText(a), text.replace('five', 'mine'));
  });

  it('are undone for one turn while a later turn keeps what it wrote in other lines', async () => {
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('one', 'ONE'));
    await end();
    await chat.send(draft('Go on'));
    editor.setFile(a, editor.diskText(a).replace('five', 'FIVE'));
    await end();
    await eventually('the change', () => assert.equal(states().length, 1));
    await chat.revert(a, { turn: 1 });
    assert.equal(editor.diskText(a), text.replace('five', 'FIVE'));
    assert.deepEqual(states(), [`${a} modified applied`]);
    assert.equal(await chat.fileChanges.baseline(a), text);
  });

  it('are gone for good when the user reverts a turn whose change was kept', async () => {
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('one', 'ONE').replace('five', 'FIVE'));
    await end();
    await eventually('the change', () => assert.equal(states().length, 1));
    const first = { start: 0, end: 1 };
    await chat.fileChanges.keepHunk(a, { before: first, after: first }, await seen(a));
    await chat.send(draft('Go on'));
    editor.setFile(a, editor.diskText(a).replace('three', 'THREE'));
    await end();
    await chat.restores.whenTurnRecorded();
    await chat.revert(a, { turn: 1 });
    assert.equal(editor.diskText(a), text.replace('three', 'THREE'));
    assert.equal(await chat.fileChanges.baseline(a), text);
    await chat.revert(a);
    assert.equal(editor.diskText(a), text);
  });

  it('are kept and undone hunk by hunk, even after a reload', async () => {
    await chat.send(draft('Go'));
    const changed = text.replace('one', 'ONE').replace('three', 'THREE').replace('five', 'FIVE');
    editor.setFile(a, changed);
    await end();
    await eventually('the change', () => assert.equal(states().length, 1));
    const line = (number: number) => ({ start: number, end: number + 1 });
    await chat.fileChanges.keepHunk(a, { before: line(0), after: line(0) }, await seen(a));
    assert.equal(await chat.fileChanges.baseline(a), text.replace('one', 'ONE'));
    const { folder } = window;
    await window.close();
    window = await Window.open({ folder, editor, checkpoints, backends: new ChatBackends('one') });
    chat = await window.chats.open(chat.id);
    assert.equal(await chat.fileChanges.baseline(a), text.replace('one', 'ONE'));
    await chat.fileChanges.undoHunk(a, { before: line(2), after: line(2) }, await seen(a));
    assert.equal(editor.diskText(a), text.replace('one', 'ONE').replace('five', 'FIVE'));
    await chat.fileChanges.keepHunk(a, { before: line(4), after: line(4) }, await seen(a));
    assert.deepEqual(states(), []);
  });

  it('can be brought back after a hunk was undone in an editor that shows the file through a link', async () => {
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('one', 'ONE'));
    await end();
    await eventually('the change', () => assert.equal(states().length, 1));
    const link = `${a}.link`;
    const [resolve, stat] = [editor.resolve.bind(editor), editor.stat.bind(editor)];
    editor.resolve = (path) => resolve(path === link ? a : path);
    // As if it had mixed line endings.
    editor.stat = async (path) => ({ ...(await stat(path)), size: 1 });
    const line = { start: 0, end: 1 };
    await chat.fileChanges.undoHunk(link, { before: line, after: line }, await seen(a));
    assert.equal(editor.diskText(a), text);
    const { records } = await window.store.read(chat.id);
    assert.deepEqual(
      records.flatMap((record) => (record.type === 'restored' ? [record.paths] : [])),
      [[a]],
    );
  });

  it('are not affected by a decision about a text that no longer exists', async () => {
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('two', 'TWO'));
    await end();
    await eventually('the change', () => assert.equal(states().length, 1));
    const before = await seen(a);
    editor.setFile(a, 'x\n' + editor.diskText(a));
    const hunk = { before: { start: 1, end: 2 }, after: { start: 1, end: 2 } };
    await assert.rejects(chat.fileChanges.keepHunk(a, hunk, before), { code: 'changedSince' });
    await assert.rejects(chat.fileChanges.undoHunk(a, hunk, before), { code: 'changedSince' });
  });

  it('belong to the conversation that found them first if two turns run at the same time', async () => {
    const other = await window.chats.create('one');
    await chat.send(draft('Go'));
    await other.send(draft('Go'));
    editor.setFile(a, text.replace('two', 'TWO'));
    const first = window.agent.sessions[0];
    assert.ok(first);
    first.end();
    await eventually('the change', () => assert.equal(states().length, 1));
    window.agent.last.end();
    await until('the end', () => outline(other).some((line) => line.startsWith('end:')));
    await settled();
    assert.deepEqual(other.view.changes, []);
  });

  it('of a turn whose window was closed are found when the conversation is reopened', async () => {
    await chat.send(draft('Go'));
    editor.setFile(a, text.replace('two', 'TWO'));
    const { folder } = window;
    await window.close();
    window = await Window.open({ folder, editor, checkpoints, backends: new ChatBackends('one') });
    chat = await window.chats.open(chat.id);
    await eventually('the change', () => assert.deepEqual(states(), [`${a} modified applied`]));
    editor.setFile(b, 'mine\n');
    await window.close();
    window = await Window.open({ folder, editor, checkpoints, backends: new ChatBackends('one') });
    chat = await window.chats.open(chat.id);
    await settled();
    assert.deepEqual(states(), [`${a} modified applied`]);
  });

  it('are not searched after the turn has ended', async () => {
    await chat.send(draft('Go'));
    await end();
    editor.setFile(a, text.replace('two', 'mine'));
    const { folder } = window;
    await window.close();
    window = await Window.open({ folder, editor, checkpoints, backends: new ChatBackends('one') });
    chat = await window.chats.open(chat.id);
    await settled();
    assert.deepEqual(states(), []);
  });

  it('are reported once as not covered if no checkpoint can be taken', async () => {
    checkpoints.problems = ['Git is not installed.'];
    await chat.send(draft('Go'));
    await end();
    await chat.send(draft('Go on'));
    await end();
    const notices = outline(chat).filter((line) => line.includes('shell commands'));
    assert.deepEqual(notices, [
      'notice: Changes made by shell commands can’t be shown or undone. Git is not installed.',
    ]);
  });

  it('report the files and folders that are not covered', async () => {
    checkpoints.uncovered = ['/ws/nested/', '/ws/large.bin'];
    await chat.send(draft('Go'));
    const notice = [...chat.transcript.entries()].find((entry) => entry.kind === 'notice');
    assert.ok(notice?.kind === 'notice');
    assert.equal(notice.details, '/ws/nested/\n/ws/large.bin');
  });

  it('cannot be made by an agent before the checkpoint is taken', async () => {
    const taking = Promise.withResolvers<undefined>();
    checkpoints.beforeTaking = () => taking.promise;
    const sending = chat.send(draft('Go'));
    await settled();
    assert.deepEqual(window.agent.last.prompts, []);
    taking.resolve(undefined);
    await sending;
    assert.equal(window.agent.last.prompts.length, 1);
  });
});
