import assert from 'node:assert/strict';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { until } from '../../support/eventually';
import { draft, outline, Window } from './support/window';

describe('a prompt that is stopped', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
  });
  afterEach(() => window.remove());

  it('is stopped at once, and the backend is told after', async () => {
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

  it('is stopped again as soon as the backend has taken it, when it was on its way', async () => {
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
    assert.deepEqual([session.prompts.length, session.calls, session.isBusy], [2, ['cancel', 'cancel'], false]);
    assert.equal(outline(chat).at(-1), 'end: cancelled');
    assert.equal(chat.view.status, 'idle');
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
});
