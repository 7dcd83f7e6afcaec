import assert from 'node:assert/strict';
import { methods, RequestError } from '@agentclientprotocol/sdk/experimental/v2/unstable';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import { open, useBackends } from '../../../../fake/backendHarness';
import { basics } from '../../../../fake/acp/scriptedAgent';
import { onV2Prompt, v2BackendOf, v2Basics, type V2Teller } from '../../../../fake/acp/scriptedV2Agent';

const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' as const }];

describe('an agent with subagents', () => {
  const v2Backends: AcpBackend[] = [];
  const makeV1 = useBackends();
  afterEach(() => {
    for (const backend of v2Backends.splice(0)) backend.dispose();
  });

  function make(work: (teller: V2Teller) => Promise<void>): AcpBackend {
    const { backend } = v2BackendOf((app) => {
      v2Basics(app);
      onV2Prompt(app, async (teller) => {
        await work(teller);
        await teller.idle('end_turn');
      });
    });
    v2Backends.push(backend);
    return backend;
  }

  const updateOf = (sessionId: string, update: object): object => ({ sessionId, update });

  it('of version 2 shows their work inside its own, and asks the user for them', async () => {
    const answers: unknown[] = [];
    const { session, follower } = await open(
      make(async ({ client, sessionId }) => {
        const tell = (id: string, update: object) =>
          client.notify<object, string>('session/update', updateOf(id, update));
        await tell(sessionId, { sessionUpdate: 'subagent_update', sessionId: 'sub', title: 'Finder' });
        await tell('sub', { sessionUpdate: 'state_update', state: 'running' });
        await tell('sub', { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'Delete', kind: 'delete' });
        const subject = { type: 'tool_call', toolCall: { toolCallId: 'c', rawInput: { path: '/ws/a.txt' } } };
        const request = { sessionId: 'sub', title: 'May I?', subject, options };
        answers.push(await client.request<unknown, object, string>(methods.client.session.requestPermission, request));
        await tell('sub', { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' });
        const content = [{ type: 'text', text: 'Found it.' }];
        await tell('sub', { sessionUpdate: 'agent_message', messageId: 'm', content });
        await tell('sub', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
      }),
    );
    await session.sendPrompt({ text: 'go' });
    const asked = await follower.next('approval:required');
    assert.equal(asked.call_id, 'subagent sub c');
    assert.equal(asked.context?.['subagent'], 'Finder');
    await session.answerApproval(asked.approval_id, 'Allow');
    const { response } = await follower.next('prompt:complete');
    assert.equal(response, '', 'what a subagent says is not the answer');
    assert.deepEqual(answers, [{ outcome: { outcome: 'selected', optionId: 'yes' } }]);
    assert.deepEqual(
      follower.all('tool:pre').map(({ call_id, parent_call_id, title }) => [call_id, parent_call_id, title]),
      [
        ['subagent sub', undefined, 'Finder'],
        ['subagent sub c', 'subagent sub', 'Delete'],
      ],
    );
    assert.deepEqual(follower.all('tool:post').at(-1)?.content, [{ type: 'text', text: 'Found it.', role: 'report' }]);
  });

  it('of version 1 likewise, with its requests for files', async () => {
    let read: unknown;
    const { backend } = makeV1((app, process) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const tell = (id: string, update: object) =>
          process.end.send({ jsonrpc: '2.0', method: 'session/update', params: updateOf(id, update) });
        await tell(sessionId, { sessionUpdate: 'subagent_update', sessionId: 'sub', title: 'Finder' });
        await tell('sub', { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Read' });
        await tell('sub', { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Read it.' } });
        read = await client.request('fs/read_text_file', { sessionId: 'sub', path: '/ws/a.txt' });
        await tell(sessionId, { sessionUpdate: 'subagent_update', sessionId: 'sub', state: { state: 'idle' } });
        return { stopReason: 'end_turn' };
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.deepEqual(read, { content: 'one\ntwo\nthree\n' });
    assert.deepEqual(
      follower.all('tool:pre').map(({ call_id, parent_call_id }) => [call_id, parent_call_id]),
      [
        ['subagent sub', undefined],
        ['subagent sub c', 'subagent sub'],
      ],
    );
    assert.deepEqual(follower.all('tool:post')[0]?.content, [{ type: 'text', text: 'Read it.', role: 'report' }]);
  });

  it('cannot speak for sessions that it never announced, or that were closed', async () => {
    const codes: unknown[] = [];
    const ask = (teller: V2Teller, sessionId: string) =>
      teller.client
        .request<unknown, object, string>(methods.client.session.requestPermission, { sessionId, title: 'x', options })
        .catch((error: unknown) => void codes.push(error instanceof RequestError ? error.code : error));
    const tellers: V2Teller[] = [];
    const backend = make(async (teller) => {
      tellers.push(teller);
      await ask(teller, 'never');
      const update = { sessionUpdate: 'subagent_update', sessionId: 'sub' };
      await teller.client.notify<object, string>('session/update', updateOf(teller.sessionId, update));
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    await session.close();
    await ask(tellers[0] ?? assert.fail(), 'sub');
    assert.deepEqual(codes, [-32002, -32002]);
  });
});
