import assert from 'node:assert/strict';
import type { Chat } from '../../../src/chat/common/chatPorts';
import { FakeCheckpoints } from '../../fake/fakeCheckpoints';
import { FakeClock } from '../../fake/fakeClock';
import { FakeEditor } from '../../fake/fakeEditor';
import { until } from '../../support/eventually';
import { draft, outline, settled, Window } from './support/window';

describe('A prompt whose checkpoint is being taken', () => {
  let editor: FakeEditor;
  let checkpoints: FakeCheckpoints;
  let window: Window;
  let chat: Chat;
  let clock: FakeClock;
  let unhandled: unknown[];
  const noteUnhandled = (error: unknown): void => void unhandled.push(error);
  beforeEach(async () => {
    unhandled = [];
    process.on('unhandledRejection', noteUnhandled);
    editor = new FakeEditor({ '/ws/a.txt': 'a\n' });
    checkpoints = new FakeCheckpoints(editor);
    clock = new FakeClock();
    window = await Window.open({ editor, checkpoints, clock });
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

  it('says so after a second, until the prompt is sent', async () => {
    const taking = Promise.withResolvers<undefined>();
    checkpoints.beforeTaking = () => taking.promise;
    const sending = chat.send(draft('Go'));
    await settled();
    clock.advance(900);
    assert.equal(chat.view.statusText, undefined);
    clock.advance(100);
    assert.equal(chat.view.statusText, 'Saving a checkpoint…');
    taking.resolve(undefined);
    await sending;
    assert.equal(chat.view.statusText, undefined);
    window.agent.last.end();
    await until('the end', () => !chat.view.isBusy);
  });
});
