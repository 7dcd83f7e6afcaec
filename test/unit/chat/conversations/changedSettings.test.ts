import assert from 'node:assert/strict';
import { until } from '../../../support/eventually';
import { BackendError } from '../../../../src/session/common/sessionBackend';
import type { ConfigOption } from '../../../../src/session/common/sessionEvents';
import { ChatBackend, ChatBackends } from '../support/chatBackend';
import { event } from '../support/transcriptRecorder';
import { draft, outline, Window } from '../support/window';

describe('A conversation with an agent whose settings change', () => {
  let backends: ChatBackends;
  let before: ChatBackend;
  let window: Window;

  beforeEach(async () => {
    backends = new ChatBackends('one');
    window = await Window.open({ backends });
    before = window.agent;
  });
  afterEach(() => window.remove());

  /** The registry opens another backend from now on. */
  function changeSettings(): ChatBackend {
    const after = new ChatBackend('one');
    before.isOutdated = true;
    backends.backends = [after];
    return after;
  }

  it('completes its turn, and the queued prompt goes to the agent with the new settings', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    await until('the turn', () => chat.view.status === 'busy');
    await chat.send(draft('Go on'));
    const after = changeSettings();
    before.last.say('done');
    before.last.end('done');
    await until('the next prompt', () => after.sessions.length === 1 && after.last.prompts.length === 1);
    assert.deepEqual([after.calls, after.last.prompts[0]?.text], [['load one-1'], 'Go on']);
    assert.ok(before.last.calls.includes('dispose'));
    after.last.end();
    await until('its end', () => chat.view.status === 'idle');
    assert.deepEqual(outline(chat), [
      'prompt: Go',
      'answer: done',
      'end: completed',
      'prompt: Go on',
      'end: completed',
    ]);
  });

  it('whose session ends before its prompt is sent uses another one', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    await until('the turn', () => chat.view.status === 'busy');
    before.last.end();
    await until('its end', () => chat.view.status === 'idle');
    const after = changeSettings();
    before.last.dispose();
    await chat.send(draft('Go on'));
    assert.equal(after.last.prompts[0]?.text, 'Go on');
  });

  it('sends its prompt once if they change while it connects', async () => {
    const chat = await window.chats.create('one');
    const held = Promise.withResolvers<undefined>();
    before.beforeSession = () => held.promise.then(() => undefined);
    const sending = chat.send(draft('Go'));
    await until('the session', () => before.calls.includes('create'));
    const after = changeSettings();
    held.resolve(undefined);
    await sending;
    assert.deepEqual([before.last.prompts.length, after.last.prompts.length], [0, 1]);
  });

  it('sends its prompt once if they end what it waits for', async () => {
    const chat = await window.chats.create('one');
    const held = Promise.withResolvers<undefined>();
    before.beforeSession = () => held.promise.then(() => Promise.reject(new Error('The settings have changed.')));
    const sending = chat.send(draft('Go'));
    await until('the session', () => before.calls.includes('create'));
    const after = changeSettings();
    held.resolve(undefined);
    await sending;
    assert.deepEqual([before.sessions.length, after.last.prompts.length], [0, 1]);
  });

  it('whose session has a turn when it is loaded, just when they change, still gets the mode that the user has seen', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    await until('the turn', () => chat.view.status === 'busy');
    before.last.tell(event('config:update', { options: [mode('ask')] }));
    before.last.end();
    await until('its end', () => chat.view.status === 'idle');
    before.last.dispose();
    // Until its end was read.
    for (let step = 0; step < 12; step++) await new Promise(setImmediate);
    const held = Promise.withResolvers<undefined>();
    before.beforeSession = () => held.promise.then(() => undefined);
    const sending = chat.send(draft('Go on'));
    await until('the session', () => before.calls.includes('load one-1'));
    before.onLoaded = (session) => {
      session.turn = 'own';
      session.config = [mode('auto')];
      session.beforePrompt = () =>
        session.turn !== 'none' ? Promise.reject(new BackendError('busy', 'It has a turn.')) : Promise.resolve();
    };
    const after = changeSettings();
    held.resolve(undefined);
    await until('the loaded session', () => before.sessions.length === 2);
    await until('its mode', () => before.last.calls.includes('set mode ask'));
    before.last.turn = 'none';
    await sending;
    assert.deepEqual(
      [before.sessions, after.sessions].map((sessions) => sessions.at(-1)?.prompts.length),
      [0, 1],
    );
  });

  // An agent that is retired ends its sessions that have no turn, at any step on the way of a prompt.
  for (const steps of [...Array(12).keys()]) {
    it(`sends its prompt once if they change ${steps} steps after Enter, and takes no end for the end of its turn`, async () => {
      const chat = await window.chats.create('one');
      await chat.send(draft('Go'));
      await until('the turn', () => chat.view.status === 'busy');
      const old = before.last;
      old.end();
      await until('its end', () => chat.view.status === 'idle');
      const sending = chat.send(draft('Go on'));
      for (let step = 0; step < steps; step++) await new Promise(setImmediate);
      const after = changeSettings();
      if (old.turn === 'none') old.dispose();
      await sending;
      await until('the prompt', () => [old, ...after.sessions].flatMap(({ prompts }) => prompts).length === 2);
      (after.sessions.at(-1) ?? old).end();
      await until('its end', () => chat.view.status === 'idle');
      assert.deepEqual(outline(chat), ['prompt: Go', 'end: completed', 'prompt: Go on', 'end: completed']);
    });
  }
});

function mode(value: 'ask' | 'auto'): ConfigOption {
  const choices = [
    { value: 'ask', name: 'Ask' },
    { value: 'auto', name: 'Auto', unattended: 'runs' as const },
  ];
  return { type: 'select', id: 'mode', name: 'Mode', category: 'mode', value, choices };
}
