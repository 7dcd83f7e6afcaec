import assert from 'node:assert/strict';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { until } from '../../support/eventually';
import { draft, outline, spoken, Window } from './support/window';

describe('A stopped prompt', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
  });
  afterEach(() => window.remove());

  it('is stopped immediately, and then in the backend', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    await until('the echo', () => chat.view.status === 'busy');
    const stopped = chat.stop();
    assert.equal(outline(chat).at(-1), 'end: cancelled');
    await stopped;
    assert.deepEqual(window.agent.last.calls, ['cancel']);
    await chat.send(draft('Again'));
    window.agent.last.end('Yes.');
    await until('the next', () => outline(chat).includes('answer: Yes.'));
  });

  it('is cancelled again once the backend has accepted it, if it was being sent', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('First'));
    const session = window.agent.last;
    session.end('Done.');
    await until('the end', () => outline(chat).includes('end: completed'));
    let take = (): void => undefined;
    let isOnItsWay = false;
    session.beforePrompt = () => {
      isOnItsWay = true;
      return new Promise((resolve) => (take = resolve));
    };
    const sent = chat.send(draft('Go'));
    await until('the prompt', () => isOnItsWay);
    await chat.stop();
    assert.deepEqual([session.prompts.length, session.calls], [1, ['cancel']], 'there was nothing to stop yet');
    take();
    await sent;
    assert.deepEqual([session.prompts.length, session.calls, session.turn], [2, ['cancel', 'cancel'], 'none']);
    assert.equal(outline(chat).at(-1), 'end: cancelled');
    assert.equal(chat.view.status, 'idle');
  });

  it('is not needed to stop what the agent does by itself', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    const session = window.agent.last;
    session.end('Done.');
    await until('the end', () => outline(chat).includes('end: completed'));
    session.turn = 'agent';
    session.say('And more.');
    await until('more', () => outline(chat).includes('answer: And more.'));
    assert.deepEqual([chat.view.status, chat.view.activity?.kind], ['idle', 'answering']);
    let changes = 0;
    chat.onDidChange(() => changes++);
    session.turn = 'none';
    assert.deepEqual([changes, chat.view.activity], [1, undefined]);
    session.turn = 'agent';
    await chat.stop();
    assert.deepEqual([session.calls, session.turn], [['cancel'], 'none']);
    assert.deepEqual([chat.view.status, chat.view.activity], ['idle', undefined]);
  });

  it('can be stopped while its backend starts', async () => {
    let isAborted = false;
    window.agent.beforeSession = (signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          isAborted = true;
          reject(new BackendError('cancelled', 'Cancelled.'));
        });
      });
    const chat = await window.chats.create('one');
    const sent = chat.send(draft('Go'));
    await until('the start', () => window.agent.calls.includes('create'));
    assert.equal(chat.view.status, 'starting');
    await chat.stop();
    await sent;
    assert.ok(isAborted);
    assert.deepEqual(outline(chat), ['prompt: Go', 'end: cancelled']);
    assert.equal(chat.view.status, 'idle');
  });

  it('is followed by the next prompt only after the backend has ended the turn', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    const session = window.agent.last;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    session.cancel = () => promise;
    const stopped = chat.stop();
    const sent = chat.send(draft('Next'));
    await until('the prompt', () => outline(chat).includes('prompt: Next'));
    assert.equal(chat.view.status, 'stopping');
    assert.equal(session.prompts.length, 1);
    session.end('', 'cancelled');
    resolve(undefined);
    await Promise.all([stopped, sent]);
    assert.deepEqual(
      session.prompts.map(({ text }) => text),
      ['Go', 'Next'],
    );
  });

  it('makes way for a queued prompt, before the others of the queue', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    for (const text of ['First', 'Second']) await chat.send(draft(text));
    const session = window.agent.last;
    const second = chat.view.queue.at(-1)?.id ?? '';
    await Promise.all([chat.stopAndSend(second, 1), chat.stopAndSend('unknown', 1)]);
    assert.deepEqual([session.calls, session.prompts.map(({ text }) => text)], [['cancel'], ['Go', 'Second']]);
    assert.deepEqual(
      chat.view.queue.map(({ text }) => text),
      ['First'],
    );
    session.end('Done.');
    await until('the end', () => session.prompts.length === 3);
    assert.deepEqual(
      session.prompts.map(({ text }) => text),
      ['Go', 'Second', 'First'],
    );
  });

  it('goes back to the front of the queue if another prompt or a stop takes its place before it was sent', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    const session = window.agent.last;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    session.cancel = () => promise;
    const first = chat.send(draft('First'), [], undefined, { stopsTurn: 1 });
    await until('the prompt', () => outline(chat).includes('prompt: First'));
    const second = chat.send(draft('Second'), [], undefined, { stopsTurn: 2 });
    await until('the prompt', () => outline(chat).includes('prompt: Second'));
    assert.deepEqual(
      chat.view.queue.map(({ text }) => text),
      ['First'],
    );
    const stopped = chat.stop();
    assert.deepEqual(
      chat.view.queue.map(({ text }) => text),
      ['Second', 'First'],
    );
    session.end('', 'cancelled');
    resolve(undefined);
    await Promise.all([first, second, stopped]);
    assert.deepEqual([session.prompts.length, chat.view.status], [1, 'idle']);
  });

  it('is another one if a new turn has begun meanwhile, which goes on', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    for (const text of ['Next', 'Later']) await chat.send(draft(text));
    const session = window.agent.last;
    session.end('Done.');
    await until('the next turn', () => session.prompts.length === 2);
    await chat.send(draft('Instead'), [], undefined, { stopsTurn: 1 });
    assert.deepEqual(session.calls, []);
    assert.deepEqual(
      chat.view.queue.map(({ text }) => text),
      ['Instead', 'Later'],
    );
    await chat.stopAndSend(chat.view.queue.at(-1)?.id ?? '', 1);
    assert.deepEqual(
      chat.view.queue.map(({ text }) => text),
      ['Later', 'Instead'],
    );
  });

  it('reports that the backend could not be stopped, and continues', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    window.agent.last.cancel = () => Promise.reject(new Error('It is gone.'));
    await chat.stop();
    assert.ok(outline(chat).includes('notice: The agent could not be stopped: It is gone.'));
    assert.equal(chat.view.status, 'idle');
  });
});

describe('A prompt whose window is closed', () => {
  it('is restored to the draft if nothing of it was sent', async () => {
    const window = await Window.open();
    const chat = await spoken(window);
    window.agent.last.log.end();
    await until('the loss', () => chat.view.status === 'idle');
    window.agent.beforeSession = () => new Promise(() => undefined);
    const sent = assert.rejects(chat.send(draft('Later')), { code: 'closed' });
    await until('the prompt', () => outline(chat).includes('prompt: Later'));
    await window.close();
    await sent;
    const again = await Window.open({ folder: window.folder });
    const opened = await again.chats.open(chat.id);
    assert.equal(outline(opened).includes('prompt: Later'), false);
    assert.deepEqual(opened.draft, draft('Later'));
    await again.remove();
  });
});

describe('A queued prompt', () => {
  it('is sent once even if two pages request it at the same time', async () => {
    const first = await Window.open();
    const { id } = await first.chats.create('one').then(async (chat) => {
      await chat.send(draft('Go'));
      await chat.send(draft('Next'));
      await chat.stop();
      return chat;
    });
    await first.close();
    const window = await Window.open({ folder: first.folder });
    const chat = await window.chats.open(id);
    await Promise.all([chat.sendFirstQueuedPrompt(), chat.sendFirstQueuedPrompt()]);
    assert.deepEqual(
      window.agent.last.prompts.map(({ text }) => text),
      ['Next'],
    );
    await window.remove();
  });
});
