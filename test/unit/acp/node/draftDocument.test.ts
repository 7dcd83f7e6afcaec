import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Follower } from '../../../fake/backendHarness';
import { DraftHarness, draftMessage, draftOptions, draftText, isBackendError } from '../../../fake/acp/draftHarness';

describe('the draft backend with an agent of the document’s reading', () => {
  let drafts: DraftHarness;

  beforeEach(() => {
    drafts = new DraftHarness((agent) => {
      agent.answers.set('createThread', () => ({
        error: { code: -32601, message: "Method not found - 'createThread'" },
      }));
      agent.answers.set('streamMessageChunk', () => ({ result: null }));
    });
  });

  afterEach(() => drafts.backend.stop());

  it('keeps the thread, streams the prompt, and takes a message as the answer', async () => {
    const { agent, session, follower } = await drafts.open();
    await session.sendPrompt({ text: 'hi' });
    const threadId = session.id;
    assert.deepEqual(await agent.take('streamMessageChunk'), { threadId, chunk: draftText('hi') });
    await agent.ask('openThread', { threadId });
    assert.deepEqual((await agent.ask('getThreadEntries', { threadId }))['result'], {
      entries: [{ type: 'message', ...draftMessage('user', 'hi') }],
    });
    await agent.ask('sendMessage', { threadId, message: draftMessage('assistant', 'Hello') });
    assert.equal((await follower.next('prompt:complete')).response, 'Hello');
    assert.deepEqual(
      (await drafts.backend.listSessions()).map(({ id, title }) => [id, title]),
      [[threadId, 'hi']],
    );
    await session.close();
    const again = new Follower(await drafts.backend.loadSession(threadId, draftOptions));
    assert.equal((await again.next('prompt:complete')).response, 'Hello');
  });

  it('is known by its asking for threads', async () => {
    drafts.prepare = (agent) => void agent.ask('getThreads', null);
    await drafts.backend.capabilities();
    await setImmediate();
    const { agent, session } = await drafts.open();
    assert.equal(agent.requests.length, 0, 'it was not asked for a thread');
    assert.deepEqual((await agent.ask('getThreads', null))['result'], {
      threads: [{ id: session.id, title: 'New thread', modifiedAt: '1970-01-01T00:00:00.000Z' }],
    });
  });

  it('may speak without being asked, but not to a prompt that was stopped', async () => {
    const { agent, session, follower } = await drafts.open();
    const say = (words: string) =>
      agent.ask('sendMessage', { threadId: session.id, message: draftMessage('assistant', words) });
    await say('By the way');
    await follower.next('content_block:end');
    await session.sendPrompt({ text: 'hi' });
    await agent.take('streamMessageChunk');
    await session.cancel();
    await say('too late');
    await say('But');
    await follower.next('content_block:end', 2);
    assert.deepEqual(
      follower.all('content_block:delta').map(({ delta }) => delta),
      ['By the way', 'But'],
    );
  });

  it('opens no thread that is not kept', async () => {
    await drafts.open();
    await assert.rejects(drafts.backend.loadSession('none', draftOptions), isBackendError('notFound'));
  });

  it('leaves nothing pending when it is stopped', async () => {
    const { session, follower } = await drafts.open();
    await session.sendPrompt({ text: 'hi' });
    await drafts.backend.stop();
    await follower.ended;
    assert.deepEqual(follower.names.slice(-2), ['error', 'session:end']);
    assert.equal(drafts.backend.state.kind, 'stopped');
    assert.equal(drafts.clock.pending, 0);
  });
});
