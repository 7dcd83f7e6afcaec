import assert from 'node:assert/strict';
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { Follower, useBackends } from '../../../fake/backendHarness';
import { DraftHarness, draftOptions, draftText } from '../../../fake/acp/draftHarness';
import { FakeEditor } from '../../../fake/fakeEditor';
import { basics, says, type Script } from '../../../fake/acp/scriptedAgent';

const options = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' as const },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' as const },
];

/** Lets all who come go on when there are as many as it waits for. */
function meeting(size: number): () => Promise<void> {
  let open: () => void;
  const all = new Promise<void>((resolve) => (open = resolve));
  let come = 0;
  return () => {
    if (++come === size) open();
    return all;
  };
}

/**
 * Answers one word after the other, each only when the other agent has said its one, asks the user in the middle, and
 * writes its file when it may.
 */
const talker =
  (words: readonly string[], file: string, meet: (step: number) => Promise<void>): Script =>
  (app) => {
    basics(app);
    app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
      for (const [step, word] of words.entries()) {
        await meet(step);
        await client.notify('session/update', says(sessionId, word));
      }
      const toolCall = { toolCallId: 'c1', title: 'Edit', kind: 'edit' as const, rawInput: { path: file } };
      const { outcome }: RequestPermissionResponse = await client.request('session/request_permission', {
        sessionId,
        toolCall,
        options,
      });
      if (outcome.outcome !== 'selected' || outcome.optionId !== 'yes') return { stopReason: 'refusal' };
      await client.request('fs/write_text_file', { sessionId, path: file, content: words.join('') });
      return { stopReason: 'end_turn' };
    });
  };

describe('two agents that answer at the very same time', () => {
  const make = useBackends();

  it('are kept apart: what they say, what they ask, what they may and what they write', async () => {
    const steps = Array.from({ length: 50 }, () => meeting(2));
    const meet = (step: number): Promise<void> => steps[step]?.() ?? Promise.resolve();
    const wordsOf = (name: string) => steps.map((_meet, step) => `${name}${step} `);
    const editor = new FakeEditor({ '/ws/a.txt': 'a', '/ws/b.txt': 'b' });
    const one = make(talker(wordsOf('one'), '/ws/a.txt', meet), { editor, id: 'one', title: 'One' });
    const two = make(talker(wordsOf('two'), '/ws/b.txt', meet), { editor, id: 'two', title: 'Two' });
    const sessions = await Promise.all([one, two].map(({ backend }) => backend.createSession({ cwd: '/ws' })));
    const [first, second] = sessions;
    assert.ok(first && second);
    assert.equal(first.id, second.id, 'agents choose names without knowing of each other');
    const [ofFirst, ofSecond] = [new Follower(first), new Follower(second)];

    await Promise.all(sessions.map((session) => session.sendPrompt({ text: 'go' })));
    const [asked, askedToo] = await Promise.all([
      ofFirst.next('approval:required'),
      ofSecond.next('approval:required'),
    ]);
    assert.deepEqual([asked.prompt, askedToo.prompt], ['One wants to edit a.txt', 'Two wants to edit b.txt']);
    assert.equal(asked.approval_id, askedToo.approval_id);
    // The later one first, and the other way.
    await second.answerApproval(askedToo.approval_id, 'Reject');
    assert.equal((await ofSecond.next('prompt:complete')).stop_reason, 'refusal');
    assert.equal(first.turn, 'own');
    await first.answerApproval(asked.approval_id, 'Allow');
    assert.equal((await ofFirst.next('prompt:complete')).stop_reason, 'end_turn');

    for (const [follower, name] of [
      [ofFirst, 'one'],
      [ofSecond, 'two'],
    ] as const) {
      const said = follower.all('content_block:delta').map(({ delta }) => delta);
      assert.deepEqual(said, wordsOf(name));
      assert.equal(follower.all('prompt:complete')[0]?.response, wordsOf(name).join(''));
    }
    assert.equal(editor.diskText('/ws/a.txt'), wordsOf('one').join(''));
    assert.equal(editor.diskText('/ws/b.txt'), 'b');
  });

  it('are kept apart when they speak different dialects, and when one of them dies', async () => {
    const meet = meeting(2);
    let die = (): void => undefined;
    const { backend } = make((app, process) => {
      basics(app);
      die = () => process.crash('out of memory');
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        await meet();
        await client.notify('session/update', says(sessionId, 'new'));
        return new Promise(() => undefined);
      });
    });
    const { promise: answered, resolve: answer } = Promise.withResolvers<{ result: null }>();
    const drafts = new DraftHarness((agent) => {
      agent.answers.set('createThread', () => ({ result: { threadId: 's1' } }));
      agent.answers.set('sendMessage', async () => {
        await meet();
        await agent.ask('streamMessageChunk', { threadId: 's1', chunk: draftText('old') });
        return answered;
      });
    });
    const [session, thread] = await Promise.all([
      backend.createSession({ cwd: '/ws' }),
      drafts.backend.createSession(draftOptions),
    ]);
    const [ofSession, ofThread] = [new Follower(session), new Follower(thread)];
    await Promise.all([session.sendPrompt({ text: 'go' }), thread.sendPrompt({ text: 'go' })]);
    const deltas = await Promise.all([ofSession, ofThread].map((follower) => follower.next('content_block:delta')));
    assert.deepEqual(
      deltas.map(({ delta }) => delta),
      ['new', 'old'],
    );
    die();
    assert.equal((await ofSession.next('error')).details, 'out of memory');
    assert.equal(thread.turn, 'own');
    answer({ result: null });
    assert.equal((await ofThread.next('prompt:complete')).response, 'old');
    assert.equal(drafts.backend.state.kind, 'ready');
    await drafts.backend.stop();
  });
});
