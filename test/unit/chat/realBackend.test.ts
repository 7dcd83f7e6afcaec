import assert from 'node:assert/strict';
import type { BackendRegistry } from '../../../src/amplifier/common/backendRegistry';
import type { AcpBackend } from '../../../src/acp/node/acpBackend';
import { toDisposable } from '../../../src/base/common/disposable';
import { backendOf } from '../../fake/backendHarness';
import { basics, type Script } from '../../fake/scriptedAgent';
import { draft, outline, until, Window } from './support/window';

/** Answers with the words it got; "wait" waits until it is cancelled. */
const echo: Script = (app) => {
  basics(app);
  let cancelled: () => void = () => undefined;
  app.onNotification('session/cancel', () => cancelled());
  app.onRequest('session/prompt', async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === 'text' ? block.text : block.type)).join(' ');
    const update = { sessionUpdate: 'agent_message_chunk' as const, content: { type: 'text' as const, text } };
    await client.notify('session/update', { sessionId: params.sessionId, update });
    if (text !== 'wait') return { stopReason: 'end_turn' };
    await new Promise<void>((resolve) => (cancelled = resolve));
    return { stopReason: 'cancelled' };
  });
};

function registryOf(backend: AcpBackend): BackendRegistry {
  const { id, title } = backend;
  return {
    onDidChange: () => toDisposable(() => undefined),
    list: () => Promise.resolve([{ id, title, source: 'demo' as const, description: '' }]),
    open: () => Promise.resolve(backend),
  };
}

describe('a conversation with an agent that speaks ACP', () => {
  it('goes from prompt to prompt, is stopped, and goes on', async () => {
    const { backend } = backendOf(echo);
    const window = await Window.open({ backends: registryOf(backend) });
    const chat = await window.chats.create(backend.id);
    await chat.send(draft('wait'));
    await chat.send(draft('queued'));
    await until('the text', () => outline(chat).includes('answer: wait'));
    await chat.stop();
    assert.equal(chat.view.queue.length, 1);
    await chat.send(draft('two'));
    await until(
      'the queued one, after the second',
      () => outline(chat).at(-1) === 'end: completed' && chat.history.length === 3,
    );
    assert.deepEqual(outline(chat), [
      'prompt: wait',
      'answer: wait',
      'end: cancelled',
      'prompt: two',
      'answer: two',
      'end: completed',
      'prompt: queued',
      'answer: queued',
      'end: completed',
    ]);
    await window.remove();
    backend.dispose();
  });
});
