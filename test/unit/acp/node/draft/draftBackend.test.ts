import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Follower } from '../../../../fake/backendHarness';
import { standingOf } from '../../../../fake/fakePermissions';
import { DraftHarness, draftMessage, draftOptions, draftText, isBackendError } from '../../../../fake/acp/draftHarness';

describe('the draft backend with an agent of the original code', () => {
  let drafts: DraftHarness;
  /** Ends the running turn. */
  let endTurn: (answer: Record<string, unknown>) => void;

  beforeEach(() => {
    drafts = new DraftHarness((agent) => {
      agent.answers.set('createThread', () => ({ result: { threadId: 'theirs' } }));
      agent.answers.set('sendMessage', () => new Promise((resolve) => (endTurn = resolve)));
    });
  });

  afterEach(() => drafts.backend.stop());

  const chunk = (words: string) => ({ threadId: 'theirs', chunk: draftText(words) });

  it('streams its answer, which ends with the result', async () => {
    const { agent, session, follower } = await drafts.open();
    assert.equal(session.id, 'theirs');
    await session.sendPrompt({ text: 'hi' });
    assert.equal(session.turn, 'own');
    assert.deepEqual(await agent.take('sendMessage'), { threadId: 'theirs', message: draftMessage('user', 'hi') });
    assert.deepEqual((await agent.ask('streamMessageChunk', chunk('Hel')))['result'], null);
    await agent.ask('streamMessageChunk', chunk('lo'));
    endTurn({ result: null });
    const done = await follower.next('prompt:complete');
    assert.equal(done.response, 'Hello');
    assert.equal(done.stop_reason, 'end_turn');
    assert.equal(session.turn, 'none');
    assert.deepEqual(follower.names, [
      'session:start',
      'prompt:submit',
      'content_block:start',
      'content_block:delta',
      'content_block:delta',
      'content_block:end',
      'prompt:complete',
    ]);
  });

  it('asks before it reads where the user has set so, as long as its turn lasts', async () => {
    const answers = {
      createThread: () => ({ result: { threadId: 'theirs' } }),
      sendMessage: () => new Promise<never>(() => undefined),
    };
    const asking = new DraftHarness(
      (agent) => {
        agent.answers.set('createThread', answers.createThread);
        agent.answers.set('sendMessage', answers.sendMessage);
      },
      standingOf([], () => ({ '*': { read: 'ask' } })),
    );
    const { agent, session, follower } = await asking.open();
    await session.sendPrompt({ text: 'read' });
    await agent.take('sendMessage');
    const reading = agent.ask('readTextFile', { threadId: 'theirs', path: '/ws/a.ts' });
    const question = await follower.next('approval:required');
    assert.equal(question.prompt, 'Old agent wants to read a.ts');
    await session.answerApproval(question.approval_id, 'Allow once');
    assert.deepEqual((await reading)['result'], { version: 1, content: 'a' });
    const bytes = agent.ask('readBinaryFile', { threadId: 'theirs', path: '/ws/a.ts' });
    await follower.next('approval:required', 2);
    await session.cancel();
    assert.match(JSON.stringify((await bytes)['error']), /may not read/);
    const elsewhere = await agent.ask('readTextFile', { threadId: 'unknown', path: '/ws/a.ts' });
    assert.match(JSON.stringify(elsewhere['error']), /cannot be asked/);
    await asking.backend.stop();
  });

  it('shows what it reads as the call of a tool', async () => {
    const { agent, session, follower } = await drafts.open();
    await session.sendPrompt({ text: 'read' });
    await agent.take('sendMessage');
    await agent.ask('streamMessageChunk', chunk('I look'));
    await agent.ask('readTextFile', { threadId: 'theirs', path: '/ws/a.ts' });
    await agent.ask('streamMessageChunk', chunk('It is a'));
    endTurn({ result: null });
    await follower.next('prompt:complete');
    assert.deepEqual(follower.all('tool:pre')[0]?.locations, [{ path: '/ws/a.ts' }]);
    assert.deepEqual(follower.all('tool:post')[0]?.result, { success: true, output: 'a' });
    assert.deepEqual(
      follower.all('content_block:start').map(({ block_index }) => block_index),
      [0, 1],
    );
  });

  it('is stopped here at once; what it still says is dropped, and the next prompt waits for its end', async () => {
    const { agent, session, follower } = await drafts.open();
    await session.sendPrompt({ text: 'long' });
    await agent.take('sendMessage');
    await agent.ask('streamMessageChunk', chunk('I beg'));
    await session.cancel();
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');

    await session.sendPrompt({ text: 'next' });
    assert.deepEqual((await agent.ask('streamMessageChunk', chunk('in with')))['result'], null);
    assert.ok(!agent.requests.some(({ method }) => method === 'sendMessage'), 'the second prompt waits');
    endTurn({ result: null });
    await agent.take('sendMessage');
    await agent.ask('streamMessageChunk', chunk('Yes'));
    endTurn({ result: null });
    assert.equal((await follower.next('prompt:complete', 2)).response, 'Yes');
    assert.ok(!JSON.stringify(follower.events).includes('in with'));
    const kept = await agent.ask('getThreadEntries', { threadId: 'theirs' });
    assert.ok(!JSON.stringify(kept).includes('in with'));
  });

  it('drops what it says late, also of a prompt that was given while the one before was not answered', async () => {
    const { agent, session, follower } = await drafts.open();
    const says = (words: string) =>
      agent.ask('sendMessage', { threadId: 'theirs', message: draftMessage('assistant', words) });
    await session.sendPrompt({ text: 'first' });
    await agent.take('sendMessage');
    const answerFirst = endTurn;
    await session.cancel();
    await session.sendPrompt({ text: 'second' });
    await says('late of the first');
    await agent.take('sendMessage');
    answerFirst({ result: null });
    await agent.ask('streamMessageChunk', chunk('I beg'));
    await session.cancel();
    await says('late of the second');
    endTurn({ result: null });
    await session.sendPrompt({ text: 'third' });
    await agent.take('sendMessage');
    endTurn({ result: null });
    await follower.next('prompt:complete', 3);
    assert.match(JSON.stringify(follower.events), /I beg/);
    assert.doesNotMatch(JSON.stringify(follower.events), /late of/);
  });

  it('that never finishes a stopped turn gives an error with the way out', async () => {
    const { agent, session, follower } = await drafts.open();
    await session.sendPrompt({ text: 'long' });
    await agent.take('sendMessage');
    await session.cancel();
    await session.sendPrompt({ text: 'next' });
    drafts.clock.advance(30_000);
    assert.match((await follower.next('error')).error, /Restart the agent/);
    assert.equal(session.turn, 'none');
  });

  it('can be stopped before it was given the prompt', async () => {
    const { agent, session, follower } = await drafts.open();
    await session.sendPrompt({ text: 'long' });
    await agent.take('sendMessage');
    await session.cancel();
    await session.sendPrompt({ text: 'never sent' });
    await session.cancel();
    endTurn({ result: null });
    await session.sendPrompt({ text: 'third' });
    assert.deepEqual(await agent.take('sendMessage'), { threadId: 'theirs', message: draftMessage('user', 'third') });
    endTurn({ result: null });
    await follower.next('prompt:complete', 3);
  });

  it('takes one prompt at a time, text only, with files by name', async () => {
    const { agent, session } = await drafts.open();
    const image = { type: 'image' as const, mimeType: 'image/png', data: '' };
    await assert.rejects(session.sendPrompt({ text: '', attachments: [image] }), isBackendError('unsupported'));
    await session.sendPrompt({
      text: 'look',
      attachments: [
        { type: 'file', path: '/ws/a.ts', lines: { first: 2, last: 3 } },
        { type: 'text', uri: 'x:1', title: 'Note', text: 'noted' },
      ],
    });
    const message = draftMessage('user', 'look\n\nFile: /ws/a.ts (lines 2 to 3)\n\nNote (x:1):\nnoted');
    assert.deepEqual(await agent.take('sendMessage'), { threadId: 'theirs', message });
    await assert.rejects(session.sendPrompt({ text: 'more' }), isBackendError('busy'));
    endTurn({ result: null });
  });

  it('ends a turn with its error', async () => {
    const { agent, session, follower } = await drafts.open();
    await session.sendPrompt({ text: 'hi' });
    await agent.take('sendMessage');
    endTurn({ error: { code: -32603, message: 'Quota exceeded' } });
    assert.equal((await follower.next('error')).error, 'Quota exceeded');
    assert.equal(session.turn, 'none');
  });

  it('offers the diff in its answer before the turn ends; stopping withdraws the question', async () => {
    const { agent, session, follower } = await drafts.open();
    const diff = '```diff\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n```\n';
    for (const apply of [true, false]) {
      await session.sendPrompt({ text: 'change' });
      await agent.take('sendMessage');
      await agent.ask('streamMessageChunk', chunk(diff));
      endTurn({ result: null });
      const { approval_id } = await follower.next('approval:required', apply ? 1 : 2);
      assert.equal(session.turn, 'own');
      if (!apply) await drafts.editor.writeText('/ws/a.ts', 'a');
      await (apply ? session.answerApproval(approval_id, 'Apply') : session.cancel());
      const done = await follower.next('prompt:complete', apply ? 1 : 2);
      assert.equal(done.stop_reason, apply ? 'end_turn' : 'cancelled');
      assert.equal(follower.names.at(-1), 'prompt:complete');
      assert.equal((await drafts.editor.readText('/ws/a.ts')).text, apply ? 'b' : 'a');
      await assert.rejects(session.answerApproval(approval_id, 'Apply'), isBackendError('approvalResolved'));
      await drafts.editor.writeText('/ws/a.ts', 'a');
    }
  });

  it('lists and loads its threads', async () => {
    const modifiedAt = '2025-06-25T00:00:00Z';
    drafts.prepare = (agent) => {
      agent.answers.set('getThreads', () => ({ result: { threads: [{ id: 'past', title: 'Past', modifiedAt }] } }));
      agent.answers.set('openThread', () => ({ result: null }));
      const entries = [
        { type: 'message', ...draftMessage('user', 'q') },
        { type: 'readFile', path: '/a', content: 'c' },
        { type: 'message', ...draftMessage('assistant', 'a') },
      ];
      agent.answers.set('getThreadEntries', () => ({ result: { entries } }));
    };
    assert.deepEqual(await drafts.backend.listSessions(), [{ id: 'past', title: 'Past', updatedAt: modifiedAt }]);
    const session = await drafts.backend.loadSession('past', draftOptions);
    const follower = new Follower(session);
    assert.equal((await follower.next('prompt:complete')).response, 'a');
    assert.equal(follower.all('prompt:submit')[0]?.replayed, true);
    assert.equal(follower.all('tool:post').length, 1);
    assert.equal(
      await drafts.backend.loadSession('past', draftOptions),
      session,
      'a thread that is open is the same session',
    );
    await assert.rejects(drafts.backend.deleteSession(), isBackendError('unsupported'));
  });

  it('that dies ends its turn and session, and is started again', async () => {
    const { agent, session, follower } = await drafts.open();
    await session.sendPrompt({ text: 'hi' });
    await agent.take('sendMessage');
    agent.close();
    await follower.ended;
    assert.deepEqual(follower.names.slice(-2), ['error', 'session:end']);
    assert.equal(follower.all('error')[0]?.details, 'Segmentation fault');
    assert.equal(drafts.backend.state.kind, 'failed');
    assert.equal(drafts.stops, 1);
    await assert.rejects(session.sendPrompt({ text: 'more' }), isBackendError('closed'));
    await drafts.open();
    assert.equal(drafts.agents.length, 2);
    assert.equal(drafts.backend.state.kind, 'ready');
  });

  it('is killed when it is disposed while it is still being stopped', async () => {
    await drafts.open();
    let sayGone = (): void => undefined;
    drafts.stopping = new Promise((resolve) => (sayGone = resolve));
    const stopped = drafts.backend.stop();
    while (drafts.stops === 0) await setImmediate();
    drafts.backend.dispose();
    assert.equal(drafts.kills, 1);
    sayGone();
    await stopped;
  });

  it('is killed at once when it is disposed', async () => {
    const { follower } = await drafts.open();
    drafts.backend.dispose();
    await follower.ended;
    assert.equal(drafts.kills, 1);
  });

  it('shows in the traffic by names, sizes and times, not by what is said', async () => {
    const watching = drafts.tap.startRecording();
    const { agent, session, follower } = await drafts.open();
    await session.sendPrompt({ text: 'secret' });
    await agent.take('sendMessage');
    await agent.ask('streamMessageChunk', chunk('secret'));
    endTurn({ error: { code: -32603, message: 'secret' } });
    await follower.next('error');
    const seen = drafts.tap.recordedEntries.map(({ direction, method, error }) => [direction, method, error]);
    assert.deepEqual(seen, [
      ['out', 'createThread', undefined],
      ['in', 'createThread', undefined],
      ['out', 'sendMessage', undefined],
      ['in', 'streamMessageChunk', undefined],
      ['out', 'streamMessageChunk', undefined],
      ['in', 'sendMessage', -32603],
    ]);
    assert.ok(!JSON.stringify(drafts.tap.recordedEntries).includes('secret'));
    watching.dispose();
  });

  it('that never answers is not waited for beyond its start', async () => {
    drafts.prepare = () => undefined;
    const created = drafts.backend.createSession(draftOptions);
    while (drafts.agents.length === 0) await setImmediate();
    await drafts.agentAt(0).take('createThread');
    drafts.clock.advance(120_000);
    await assert.rejects(created, isBackendError('timeout'));
    assert.equal(drafts.clock.pending, 0);
  });
});
