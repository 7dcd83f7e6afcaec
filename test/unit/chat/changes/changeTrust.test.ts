import assert from 'node:assert/strict';
import { containsWrittenText, isAlreadyApplied } from '../../../../src/chat/common/changes/reportedFileChanges';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { ChatBackends } from '../support/chatBackend';
import { event } from '../support/transcriptRecorder';
import { eventually, until } from '../../../support/eventually';
import { turns } from '../../../support/turns';
import { answer, draft, outline, settled, Window } from '../support/window';

const path = '/ws/a.txt';

describe('Reverting trusts only what Backline itself has read', () => {
  let window: Window;
  let chat: Chat;
  beforeEach(async () => {
    window = await Window.open();
    chat = await window.chats.create('one');
    await chat.send(draft('Go'));
  });
  afterEach(() => window.remove());

  const call = { tool_name: 'tool', operation: 'tool', call_id: 'c' };
  const diff = (old_text: string | null, new_text: string) => ({
    content: [{ type: 'diff', path, old_text, new_text }],
  });
  const pre = (data: object = {}) =>
    event('tool:pre', { ...call, kind: 'edit', input: {}, locations: [{ path }], ...data });
  const post = (data: object = {}) => event('tool:post', { ...call, kind: 'edit', result: { success: true }, ...data });
  const failed = () => event('tool:error', { ...call, kind: 'edit', error: 'No.' });
  const ask = () =>
    event('approval:required', {
      approval_id: 'q',
      prompt: 'Edit?',
      options: ['Yes', 'No'],
      call_id: 'c',
      context: {},
    });

  async function tell(...events: Parameters<typeof window.agent.last.tell>): Promise<void> {
    window.agent.last.tell(...events);
    await settled();
  }

  /** The journal looks at the files once more then, and reads and writes snapshots on the way. */
  async function end(expected?: readonly string[]): Promise<void> {
    window.agent.last.end();
    await until('the end', () => outline(chat).includes('end: completed'));
    if (expected) await eventually('the changes', () => assert.deepEqual(states(), expected));
    else await turns(500);
  }

  async function write(text: string): Promise<void> {
    const writer = { backendId: 'one', sessionId: window.agent.last.id };
    await window.chats.beforeWrite(writer, path);
    window.editor.setFile(path, text);
    await window.chats.afterWrite(writer, path);
  }

  const states = () => chat.view.changes.map(({ state }) => state);
  const text = () => window.editor.diskText(path);

  it('does not list a file that is shown by a call that only reads', async () => {
    await tell(
      pre({ kind: 'read', ...diff('planted\n', 'one\n') }),
      post({ kind: 'read', ...diff('planted\n', 'one\n') }),
    );
    await end();
    assert.deepEqual(chat.view.changes, []);
    await assert.rejects(chat.revert(path, { force: true }), { code: 'notFound' });
    assert.equal(text(), 'one\n');
  });

  it('restores nothing if the agent reports a change only afterwards, and deletes nothing', async () => {
    for (const old of ['planted\n', null]) {
      await tell(pre(diff(old, 'one\n')), post(diff(old, 'one\n')));
      await until('the change', () => states().length === 1);
      assert.deepEqual(states(), ['unknown']);
      await assert.rejects(chat.revert(path, { force: true }), { code: 'notFound' });
      assert.equal(text(), 'one\n');
    }
  });

  it('restores the text read before the call, not the text that the agent reports', async () => {
    await tell(pre(diff('planted\n', 'two\n')));
    window.editor.setFile(path, 'two\n');
    await tell(post(diff('planted\n', 'two\n')));
    await until('the change', () => states().length === 1);
    assert.deepEqual(states(), ['applied']);
    await chat.revert(path);
    assert.equal(text(), 'one\n');
  });

  it('does not overwrite what the user wrote between two writes of the agent', async () => {
    await write('two\n');
    window.editor.setFile(path, 'two\nmine\n');
    await write('three\nmine\n');
    await end(['changedSince']);
    await assert.rejects(chat.revert(path), { code: 'changedSince' });
    assert.equal(text(), 'three\nmine\n');
  });

  it('remembers after reopening that a file has changes of both', async () => {
    await write('two\n');
    window.editor.setFile(path, 'two\nmine\n');
    await write('three\nmine\n');
    await end(['changedSince']);
    const { editor, folder } = window;
    await window.close();
    window = await Window.open({ folder, editor, backends: new ChatBackends('one') });
    chat = await window.chats.open(chat.id);
    await eventually('the changes', () => assert.deepEqual(states(), ['changedSince']));
    await assert.rejects(chat.revert(path), { code: 'changedSince' });
  });

  it('does not attribute to the agent what the user wrote before a failed call', async () => {
    await tell(pre(diff('one\n', 'two\n')), ask());
    window.editor.setFile(path, 'one\nmine\n');
    await answer(chat, 'q', 'Yes');
    await tell(failed());
    await end();
    assert.deepEqual(chat.view.changes, []);
  });

  it('does not attribute to the agent what the user wrote during an approval that nobody answered', async () => {
    await tell(pre(), ask());
    window.editor.setFile(path, 'one\nmine\n');
    await end();
    assert.deepEqual(chat.view.changes, []);
  });

  it('keeps what the user wrote while an approval was pending', async () => {
    await tell(pre(), ask());
    window.editor.setFile(path, 'one\nmine\n');
    await answer(chat, 'q', 'Yes');
    window.editor.setFile(path, 'two\nmine\n');
    await tell(post());
    await end(['applied']);
    await chat.revert(path);
    assert.equal(text(), 'one\nmine\n');
  });

  it('asks first if the approval was answered elsewhere and the user has written meanwhile', async () => {
    await tell(pre(), ask());
    window.editor.setFile(path, 'one\nmine\n');
    await tell(event('approval:granted', { approval_id: 'q', decision: 'Yes' }));
    window.editor.setFile(path, 'two\nmine\n');
    await tell(post());
    await end(['changedSince']);
  });

  it('asks first if the file does not have the text that the agent reports', async () => {
    await tell(pre(diff('one\n', 'two\n')));
    window.editor.setFile(path, 'mine\n');
    await tell(post(diff('one\n', 'two\n')));
    await end(['changedSince']);
  });

  it('asks first if the turn ended during the call', async () => {
    await tell(pre());
    window.editor.setFile(path, 'two\n');
    await end(['changedSince']);
  });

  it('trusts a write through the editor more than the call that reports it', async () => {
    await tell(pre(diff('one\n', 'two\n')));
    await write('two\n');
    window.editor.setFile(path, 'two\nmine\n');
    await tell(post(diff('one\n', 'two\n')));
    await end(['changedSince']);
    window.editor.setFile(path, 'two\n');
    await chat.revert(path);
    assert.equal(text(), 'one\n');
  });

  it('finds a change that becomes visible only after its call', async () => {
    await tell(pre(diff('one\n', 'two\n')), post());
    window.editor.setFile(path, 'two\n');
    await end();
    await until('the change', () => states().length === 1);
  });
});

describe('isAlreadyApplied', () => {
  const cases: [string, string | null, string | null | undefined, string, boolean][] = [
    ['is false before the change', 'a b c', 'b', 'x', false],
    ['is true after the change', 'a x c', 'b', 'x', true],
    ['is true after a change of the whole file', 'new', 'old', 'new', true],
    ['is true for a created file', 'new', null, 'new', true],
    ['is true for a written file', 'new', undefined, 'new', true],
    ['is false before a piece is removed', 'a b', 'a b', 'a', false],
    ['is true after text was added to a piece', 'a b', 'a', 'a b', true],
    ['is false for a change without effect', 'a', 'a', 'a', false],
    ['is false for a file that does not exist yet', null, null, 'new', false],
  ];
  for (const [name, now, old, after, isMade] of cases) {
    const file = { path: 'a', newText: after, ...(old === undefined ? {} : { oldText: old }) };
    it(name, () => assert.equal(isAlreadyApplied(now, file), isMade));
  }

  it('ignores the line endings of the file', () => {
    assert.equal(containsWrittenText('a\r\nb\r\n', { path: 'a', newText: 'a\nb' }), true);
    assert.equal(containsWrittenText('a\r\nc\r\n', { path: 'a', newText: 'a\nb' }), false);
    assert.equal(containsWrittenText(null, { path: 'a' }), undefined);
  });
});
