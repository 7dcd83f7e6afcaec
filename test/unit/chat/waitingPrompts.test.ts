import assert from 'node:assert/strict';
import { rejectOnAbort } from '../../../src/session/common/rejectOnAbort';
import type { Chat } from '../../../src/chat/common/chatPorts';
import { FakeClock } from '../../fake/fakeClock';
import { until } from '../../support/eventually';
import { ChatBackends } from './support/chatBackend';
import { event } from './support/transcriptRecorder';
import { draft, outline, settled, Window } from './support/window';

const missing = { kind: 'authRequired', message: 'Sign in to agent one.', methods: [] } as const;

describe('A prompt that waits for a sign-in', () => {
  let window: Window;
  let backends: ChatBackends;
  let clock: FakeClock;

  beforeEach(async () => {
    backends = new ChatBackends('one', 'two');
    clock = new FakeClock();
    clock.advance(1000);
    window = await Window.open({ backends, clock });
  });
  afterEach(() => window.remove());

  /** Lets sessions of the agent wait until the result is called. */
  function refuseSessions(): () => void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    window.agent.beforeSession = async (signal) => {
      window.agent.change(missing);
      await rejectOnAbort(promise, signal);
      window.agent.change({ kind: 'ready' });
    };
    return () => {
      window.agent.beforeSession = () => Promise.resolve();
      resolve(undefined);
    };
  }

  async function waiting(text = 'Go'): Promise<{ chat: Chat; sent: Promise<void> }> {
    const chat = await window.chats.create('one');
    const sent = chat.send(draft(text));
    sent.catch(() => undefined);
    await until('the missing sign-in', () => chat.view.status === 'signIn');
    return { chat, sent };
  }

  async function reopened(chat: Chat): Promise<Chat> {
    await window.close();
    window = await Window.open({ folder: window.folder, backends, clock });
    window.agent.sessions.length = 0;
    window.agent.change({ kind: 'stopped' });
    return await window.chats.open(chat.id);
  }

  const prompts = (): string[] => window.agent.sessions.flatMap((session) => session.prompts.map(({ text }) => text));

  it('is sent to its agent in its conversation while the user is in another one', async () => {
    const signIn = refuseSessions();
    const { chat, sent } = await waiting();
    const other = await window.chats.create('two');
    other.setVisibility('seen');
    signIn();
    await sent;
    assert.deepEqual([prompts(), outline(chat)[0], outline(other)], [['Go'], 'prompt: Go', []]);
    assert.equal(chat.view.backendId, 'one');
  });

  it('goes back to the composer when the user cancels', async () => {
    refuseSessions();
    const { chat, sent } = await waiting();
    chat.saveDraft(draft('and more'));
    await chat.stop();
    await assert.rejects(sent, { code: 'cancelled' });
    assert.equal(chat.draft.text, 'Go\nand more');
    assert.deepEqual([outline(chat), chat.view.status, prompts()], [[], 'idle', []]);
  });

  it('goes back to the composer when the agent refused it in a session and the user cancels', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    window.agent.change(missing);
    await until('the missing sign-in', () => chat.view.status === 'signIn');
    await chat.stop();
    assert.deepEqual([chat.draft.text, window.agent.last.calls], ['Go', ['cancel']]);
    assert.equal(chat.view.status, 'idle');
  });

  for (const how of ['a session', 'a prompt'] as const) {
    it(`is sent once after its window was closed, when the agent refused ${how}`, async () => {
      let chat: Chat;
      if (how === 'a session') {
        refuseSessions();
        ({ chat } = await waiting());
      } else {
        chat = await window.chats.create('one');
        await chat.send(draft('Go'));
        window.agent.change(missing);
        await until('the missing sign-in', () => chat.view.status === 'signIn');
      }
      const again = await reopened(chat);
      window.agent.beforeSession = () => Promise.resolve();
      assert.deepEqual(
        [again.view.status, again.view.queue.map(({ text }) => text), again.draft.text],
        ['signIn', ['Go'], ''],
      );
      backends.signIn('two');
      await settled();
      assert.deepEqual(prompts(), [], 'another agent');
      backends.signIn('one');
      await until('the prompt', () => prompts().length === 1);
      window.agent.last.end('Hi.');
      await until('the answer', () => outline(again).includes('answer: Hi.'));
      backends.signIn('one');
      await settled();
      assert.deepEqual([prompts(), again.view.queue, again.view.status], [['Go'], [], 'idle']);
    });
  }

  it('stays a retry, without a second bubble, after its window was closed', async () => {
    const created = await window.chats.create('one');
    await created.send(draft('Go'));
    window.agent.last.tell(event('error', { error: 'API Error: 529 Overloaded' }));
    await until('the end', () => [...created.transcript.entries('end')].length === 1);
    await settled();
    const chat = await reopened(created);
    refuseSessions();
    const [end] = chat.transcript.entries('end');
    const retried = chat.retry(end?.id ?? '');
    retried.catch(() => undefined);
    await until('the missing sign-in', () => chat.view.status === 'signIn');
    const again = await reopened(chat);
    window.agent.beforeSession = () => Promise.resolve();
    assert.deepEqual(
      again.view.queue.map(({ text }) => text),
      ['Go'],
    );
    backends.signIn('one');
    await until('the prompt', () => prompts().length === 1);
    assert.deepEqual(outline(again).slice(0, 3), ['prompt: Go', 'end: failed', 'prompt: Retry']);
    assert.deepEqual(again.sentPromptTexts, ['Go']);
    window.agent.last.end('Hi.');
    await until('the answer', () => outline(again).includes('answer: Hi.'));
  });

  it('is sent in a conversation that was not opened again', async () => {
    refuseSessions();
    const { chat } = await waiting();
    await window.close();
    window = await Window.open({ folder: window.folder, backends, clock });
    window.agent.sessions.length = 0;
    window.agent.beforeSession = () => Promise.resolve();
    backends.signIn('one');
    await until('the prompt', () => prompts().length === 1);
    assert.deepEqual(
      window.chats.openChats.map(({ id }) => id),
      [chat.id],
    );
  });

  it('goes back to the composer when the user cancels after the window was opened again', async () => {
    refuseSessions();
    const again = await reopened((await waiting()).chat);
    await again.stop();
    assert.deepEqual([again.draft.text, again.view.queue, again.view.status], ['Go', [], 'idle']);
    backends.signIn('one');
    await settled();
    assert.deepEqual(prompts(), []);
  });

  it('stays in the queue when the user signs in much later', async () => {
    refuseSessions();
    const again = await reopened((await waiting()).chat);
    clock.advance(61 * 60_000);
    backends.signIn('one');
    await settled();
    assert.deepEqual([prompts(), again.view.status, again.view.queue.length], [[], 'idle', 1]);
  });
});
