import assert from 'node:assert/strict';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { ChatBackends } from '../support/chatBackend';
import { until } from '../../../support/eventually';
import { draft, outline, Window } from '../support/window';

const path = '/ws/a.txt';

describe('Changes of one turn', () => {
  let window: Window;
  let chat: Chat;
  beforeEach(async () => {
    window = await Window.open();
    chat = await window.chats.create('one');
  });
  afterEach(() => window.remove());

  const text = () => window.editor.diskText(path);
  const userWrites = (written: string) => window.editor.setFile(path, written);

  async function write(written: string): Promise<void> {
    const writer = { backendId: 'one', sessionId: window.agent.last.id };
    await window.chats.beforeWrite(writer, path);
    window.editor.setFile(path, written);
    await window.chats.afterWrite(writer, path);
  }

  /** Of each turn that has ended, of its only file; null while they are not known, or there are none. */
  const states = () =>
    [...chat.transcript.entries()].flatMap((entry) =>
      entry.kind === 'end' ? [entry.changes?.[0]?.state ?? null] : [],
    );

  async function end(): Promise<void> {
    const { length } = states();
    window.agent.last.end();
    await until('the changes', () => states().length > length && states().at(-1) !== null);
  }

  async function turn(...texts: string[]): Promise<void> {
    await chat.send(draft('Go'));
    for (const written of texts) await write(written);
    await end();
  }

  async function reopen(source: ChatBackends['source'] = 'configured'): Promise<void> {
    const { editor, folder } = window;
    await window.close();
    const backends = new ChatBackends('one');
    backends.source = source;
    if (source === 'server') for (const backend of backends.backends) backend.turnWhenLoaded = 'other';
    window = await Window.open({ folder, editor, backends });
    chat = await window.chats.open(chat.id);
  }

  it('include a change that restores the text of an earlier turn', async () => {
    await turn('two\n');
    userWrites('mine\n');
    await turn('two\n');
    assert.deepEqual(states(), ['changedSince', 'applied']);
    await chat.revert(path, { turn: 2 });
    assert.equal(text(), 'mine\n');
  });

  it('can be viewed separately, even if they were kept and the window was reloaded', async () => {
    await turn('two\n');
    await turn('three\n', 'four\n');
    const shown = () => Promise.all([1, 2, 3].map((number) => chat.fileChanges.turnTexts(path, number)));
    const expected = [
      { path, before: 'one\n', after: 'two\n' },
      // As it is now.
      { path, before: 'two\n', after: undefined },
      undefined,
    ];
    assert.deepEqual(await shown(), expected);
    await chat.keepChanges();
    assert.deepEqual(await shown(), expected);
    await reopen();
    assert.deepEqual(await shown(), expected);
  });

  it('are complete, whoever has written the file before', async () => {
    await turn('two\n');
    userWrites('mine\n');
    await turn('three\n', 'four\n');
    await turn('five\n');
    await chat.revert(path, { turn: 3 });
    assert.equal(text(), 'four\n');
    await chat.revert(path, { turn: 2 });
    assert.equal(text(), 'mine\n');
    await assert.rejects(chat.revert(path), { code: 'changedSince' });
  });

  it('are not reverted over edits that the user made between two of them', async () => {
    await chat.send(draft('Go'));
    await write('two\n');
    userWrites('two\nmine\n');
    await write('three\nmine\n');
    await end();
    assert.deepEqual(states(), ['changedSince']);
    await assert.rejects(chat.revert(path, { turn: 1 }), { code: 'changedSince' });
  });

  it('are empty if the turn has restored what it had written', async () => {
    await turn('two\n');
    await chat.send(draft('Go'));
    await write('three\n');
    await write('two\n');
    window.agent.last.end();
    await until('the end', () => states().length === 2);
    userWrites('mine\n');
    await reopen();
    assert.deepEqual(states(), ['applied', null]);
  });

  it('are listed and can be reverted if the window was closed during the turn', async () => {
    await turn('two\n');
    await chat.send(draft('Go'));
    await write('three\n');
    await write('four\n');
    await reopen();
    assert.equal(outline(chat).at(-1), 'end: interrupted');
    assert.deepEqual(states(), ['changedSince', 'applied']);
    await chat.revert(path, { turn: 2 });
    assert.equal(text(), 'two\n');
    await chat.revert(path, { turn: 1 });
    assert.equal(text(), 'one\n');
  });

  it('exclude what the user wrote before an interrupted turn', async () => {
    await turn('two\n');
    userWrites('mine\n');
    await chat.send(draft('Go'));
    await write('three\n');
    await reopen();
    assert.deepEqual(states(), ['changedSince', 'applied']);
    await chat.revert(path, { turn: 2 });
    assert.equal(text(), 'mine\n');
  });

  it('do not become part of the next turn if the window was closed during the turn', async () => {
    await chat.send(draft('Go'));
    await write('two\n');
    await reopen();
    await turn('three\n');
    assert.deepEqual(states(), ['changedSince', 'applied']);
    await chat.revert(path, { turn: 2 });
    assert.equal(text(), 'two\n');
  });

  it('include those before and after the window was closed if the turn continued', async () => {
    await chat.send(draft('Go'));
    await write('two\n');
    await reopen('server');
    await until('the turn', () => chat.view.status === 'busy');
    await write('three\n');
    await end();
    assert.deepEqual(states(), ['applied']);
    await chat.revert(path, { turn: 1 });
    assert.equal(text(), 'one\n');
  });

  it('ask first if the user wrote while the window was closed and the turn continued', async () => {
    await chat.send(draft('Go'));
    await write('two\n');
    await reopen('server');
    await until('the turn', () => chat.view.status === 'busy');
    userWrites('two\nmine\n');
    await write('three\nmine\n');
    await end();
    assert.deepEqual(states(), ['changedSince']);
    await assert.rejects(chat.revert(path, { turn: 1 }), { code: 'changedSince' });
  });
});
