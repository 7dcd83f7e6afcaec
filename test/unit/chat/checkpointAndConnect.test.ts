import assert from 'node:assert/strict';
import type { Chat } from '../../../src/chat/common/chatPorts';
import { FakeCheckpoints } from '../../fake/fakeCheckpoints';
import { FakeEditor } from '../../fake/fakeEditor';
import { until } from '../../support/eventually';
import { draft, outline, settled, Window } from './support/window';

describe('A prompt whose checkpoint is being taken', () => {
  let editor: FakeEditor;
  let checkpoints: FakeCheckpoints;
  let window: Window;
  let chat: Chat;
  let unhandled: unknown[];
  const noteUnhandled = (error: unknown): void => void unhandled.push(error);
  beforeEach(async () => {
    unhandled = [];
    process.on('unhandledRejection', noteUnhandled);
    editor = new FakeEditor({ '/ws/a.txt': 'a\n' });
    checkpoints = new FakeCheckpoints(editor);
    window = await Window.open({ editor, checkpoints });
    chat = await window.chats.create('one');
  });
  afterEach(async () => {
    process.off('unhandledRejection', noteUnhandled);
    await window.remove();
  });

  it('is withdrawn immediately if the agent is unavailable, without an unhandled rejection', async () => {
    const { promise, reject } = Promise.withResolvers<undefined>();
    checkpoints.beforeTaking = () => promise;
    window.agent.beforeSession = () => Promise.reject(new Error('The agent is gone.'));
    await assert.rejects(chat.send(draft('Go')), /The agent is gone/);
    reject(new Error('The checkpoint failed, too.'));
    await settled();
    assert.deepEqual(unhandled, []);
    checkpoints.beforeTaking = () => Promise.resolve();
    window.agent.beforeSession = () => Promise.resolve();
    await chat.send(draft('Go'));
    editor.setFile('/ws/a.txt', 'agent\n');
    window.agent.last.end();
    await until('the change', () => chat.fileChanges.list.length === 1);
    assert.ok(outline(chat).includes('end: completed'));
  });
});
