import assert from 'node:assert/strict';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { until } from '../../../support/eventually';
import { event } from '../support/transcriptRecorder';
import { answer, draft, outline, Window } from '../support/window';

describe('The reason for a denial', () => {
  let window: Window;
  let chat: Chat;

  beforeEach(async () => {
    window = await Window.open();
    chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    window.agent.last.tell(event('approval:required', { approval_id: 'a', prompt: 'May I?', options: ['Yes', 'No'] }));
    await until('the question', () => chat.view.approvals.length === 1);
  });
  afterEach(() => window.remove());

  const waiting = (): string[] => chat.view.queue.map(({ text }) => text);
  const prompts = (): string[] => window.agent.last.prompts.map(({ text }) => text);

  it('is sent after the turn, before queued prompts', async () => {
    await chat.send(draft('Later'));
    await answer(chat, 'a', 'No', draft('Use pnpm'));
    assert.deepEqual(window.agent.last.calls, ['approve a No']);
    assert.deepEqual(waiting(), ['Use pnpm', 'Later']);
    window.agent.last.end('I see.');
    await until('the reason', () => prompts().length === 2);
    assert.deepEqual([prompts()[1], waiting()], ['Use pnpm', ['Later']]);
  });

  it('is sent even if the agent ends the turn as cancelled because of the denial', async () => {
    await answer(chat, 'a', 'No', draft('Use pnpm'));
    window.agent.last.end('', 'cancelled');
    await until('the reason', () => prompts()[1] === 'Use pnpm');
  });

  it('is sent immediately if the turn ended with the denial', async () => {
    const { last } = window.agent;
    const approve = last.answerApproval.bind(last);
    last.answerApproval = async (id, option) => {
      await approve(id, option);
      last.end('', 'cancelled');
      await until('the end', () => outline(chat).at(-1) === 'end: cancelled');
    };
    await answer(chat, 'a', 'No', draft('Use pnpm'));
    await until('the reason', () => prompts()[1] === 'Use pnpm');
  });

  it('stays queued if the user stops the turn, even after a reload', async () => {
    await answer(chat, 'a', 'No', draft('Use pnpm'));
    await chat.stop();
    assert.deepEqual(waiting(), ['Use pnpm']);
    const { editor, folder } = window;
    await window.close();
    window = await Window.open({ folder, editor });
    chat = await window.chats.open(chat.id);
    assert.deepEqual(waiting(), ['Use pnpm']);
  });

  it('is not sent if the answer was not accepted', async () => {
    window.agent.last.answerApproval = () => Promise.reject(new Error('gone'));
    await assert.rejects(answer(chat, 'a', 'No', draft('Use pnpm')), /gone/);
    assert.deepEqual(waiting(), []);
  });

  it('is not asked for if the call is denied from its row, while nothing else can be stopped from there', async () => {
    const { last } = window.agent;
    last.tell(event('tool:pre', { call_id: 'c', tool_name: 'run', operation: 'run', input: {} }));
    last.tell(event('approval:required', { approval_id: 'b', call_id: 'c', prompt: '?', options: ['Yes', 'No'] }));
    await until('the question', () => chat.view.approvals.length === 2);
    const entryId = chat.view.approvals[1]?.entryId ?? '';
    await chat.stopCall(entryId);
    assert.deepEqual(last.calls, ['approve b No']);
    await until('the answer', () => chat.view.approvals.length === 1);
    await assert.rejects(chat.stopCall(entryId), /can no longer be stopped/);
    last.stopCall = (id) => Promise.resolve(void last.calls.push(`stop ${id}`));
    await chat.stopCall(entryId);
    await assert.rejects(chat.stopCall('nothing'), /can no longer be stopped/);
    assert.deepEqual([last.calls.at(-1), waiting()], ['stop c', []]);
  });

  it('is not sent if it is blank', async () => {
    await answer(chat, 'a', 'No', draft('  '));
    assert.deepEqual(waiting(), []);
  });
});
