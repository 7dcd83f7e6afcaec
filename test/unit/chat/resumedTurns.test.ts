import assert from 'node:assert/strict';
import { BackendError } from '../../../src/session/common/sessionBackend';
import type { SessionTurn } from '../../../src/session/common/sessionTurn';
import type { Chat } from '../../../src/chat/common/chatPorts';
import { FakeClock } from '../../fake/fakeClock';
import { until } from '../../support/eventually';
import { ChatBackends } from './support/chatBackend';
import { draft, outline, Window } from './support/window';

describe('A turn whose window was closed', () => {
  let clock: FakeClock;
  let window: Window;
  let id: string;

  beforeEach(async () => {
    const first = await Window.open({ backends: new ChatBackends('one') });
    const chat = await first.chats.create('one');
    await chat.send(draft('Go'));
    await until('the turn', () => chat.view.status === 'busy');
    ({ id } = chat);
    await first.close();
    clock = new FakeClock();
    const backends = new ChatBackends('one');
    backends.source = 'server';
    window = await Window.open({ folder: first.folder, backends, clock });
  });
  afterEach(() => window.remove());

  /** Its session is being loaded, which `found` ends. */
  async function looking(): Promise<{ readonly chat: Chat; readonly found: (turn: SessionTurn) => void }> {
    const loaded = Promise.withResolvers<undefined>();
    window.agent.beforeSession = async () => {
      await loaded.promise;
    };
    const chat = await window.chats.open(id);
    await until('the load', () => window.agent.calls.length === 1);
    assert.equal(chat.view.status, 'reconnecting');
    return {
      chat,
      found: (turn) => {
        window.agent.turnWhenLoaded = turn;
        loaded.resolve(undefined);
      },
    };
  }

  const statusOf = (chat: Chat, status: string): Promise<void> => until(status, () => chat.view.status === status);

  it('stays interrupted if the loaded session says that none runs', async () => {
    const { chat, found } = await looking();
    found('none');
    await statusOf(chat, 'idle');
    assert.deepEqual(outline(chat), ['prompt: Go', 'end: interrupted']);
  });

  it('stays interrupted if its session is unavailable, or not available in time', async () => {
    window.agent.beforeSession = (signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new BackendError('cancelled', 'Cancelled.')));
      });
    const chat = await window.chats.open(id);
    await until('the load', () => window.agent.calls.length === 1);
    await until('the end of patience', () => {
      clock.advance(1_000);
      return chat.view.status === 'idle';
    });
    assert.equal(clock.now() >= 10_000, true);
    assert.deepEqual(outline(chat), ['prompt: Go', 'end: interrupted']);
  });

  it('is ended in the backend if the user stops it before it is found', async () => {
    const { chat, found } = await looking();
    const stopped = chat.stop();
    assert.equal(chat.view.status, 'stopping');
    found('other');
    await statusOf(chat, 'idle');
    await stopped;
    assert.deepEqual(window.agent.last.calls, ['cancel']);
  });

  it('delays a prompt, which is sent once if the turn no longer runs', async () => {
    const { chat, found } = await looking();
    const sent = chat.send(draft('Next'));
    await until('the prompt', () => outline(chat).includes('prompt: Next'));
    assert.equal(window.agent.sessions.length, 0);
    found('none');
    await statusOf(chat, 'busy');
    await sent;
    assert.deepEqual(
      window.agent.last.prompts.map(({ text }) => text),
      ['Next'],
    );
  });

  it('continues before a prompt that was sent meanwhile, which waits for its end', async () => {
    const { chat, found } = await looking();
    const sent = chat.send(draft('Next'));
    await until('the prompt', () => outline(chat).includes('prompt: Next'));
    found('other');
    await statusOf(chat, 'busy');
    await sent;
    assert.deepEqual(
      chat.view.queue.map(({ text }) => text),
      ['Next'],
    );
    assert.deepEqual(outline(chat).slice(0, 1), ['prompt: Go']);
    assert.equal(outline(chat).includes('prompt: Next'), false);
    window.agent.last.end('Done.');
    await until('the next', () => window.agent.last.prompts.length === 1);
    assert.deepEqual(chat.view.queue, []);
  });

  it('withdraws the waiting prompt if this window is closed, too', async () => {
    const { chat } = await looking();
    const sent = assert.rejects(chat.send(draft('Next')), { code: 'closed' });
    await until('the prompt', () => outline(chat).includes('prompt: Next'));
    const { folder } = window;
    await window.close();
    await sent;
    window = await Window.open({ folder, backends: new ChatBackends('one') });
    const again = await window.chats.open(id);
    assert.deepEqual(outline(again), ['prompt: Go', 'end: interrupted']);
    assert.deepEqual(again.draft, draft('Next'));
  });
});
