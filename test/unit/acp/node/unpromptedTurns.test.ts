import assert from 'node:assert/strict';
import type { AgentContext, SessionUpdate } from '@agentclientprotocol/sdk';
import type { AcpBackendDeps } from '../../../../src/acp/node/session/acpBackend';
import type { BackendSession } from '../../../../src/session/common/sessionBackend';
import { type Follower, open, useBackends } from '../../../fake/backendHarness';
import { FakeClock } from '../../../fake/fakeClock';
import { basics, says, type ScriptedAgents } from '../../../fake/acp/scriptedAgent';
import { onV2Prompt, ScriptedV2Agents, v2Basics, type V2Teller } from '../../../fake/acp/scriptedV2Agent';
import { eventually } from '../../../support/eventually';

describe('a turn that an ACP agent begins by itself', () => {
  const make = useBackends();
  let clock: FakeClock;
  beforeEach(() => (clock = new FakeClock()));

  interface Going {
    readonly agents: ScriptedAgents;
    readonly client: AgentContext;
    readonly session: BackendSession;
    readonly follower: Follower;
    /** Whether the agent was told to stop. */
    readonly isStopped: () => boolean;
    readonly tell: (update: SessionUpdate) => Promise<void>;
  }

  /** An agent of version 1 that has said “and more” after the end of the first turn. */
  async function going(options: Partial<AcpBackendDeps> = {}): Promise<Going> {
    let stops = 0;
    const asked = Promise.withResolvers<AgentContext>();
    const { agents, backend } = make(
      (app) => {
        basics(app);
        app.onNotification('session/cancel', () => {
          stops++;
        });
        app.onRequest('session/prompt', ({ client }) => {
          asked.resolve(client);
          return { stopReason: 'end_turn' };
        });
      },
      { clock, ...options },
    );
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    const client = await asked.promise;
    const tell = (update: SessionUpdate): Promise<void> =>
      client.notify('session/update', { sessionId: session.id, update });
    await client.notify('session/update', says(session.id, 'and more'));
    await follower.next('content_block:delta');
    return { agents, client, session, follower, isStopped: () => stops > 0, tell };
  }

  it('ends in version 1 after 5 seconds without an update', async () => {
    const { follower, session, tell } = await going();
    assert.equal(session.turn, 'agent');
    clock.advance(4_999);
    await tell(says(session.id, ', and still more').update);
    await follower.next('content_block:delta', 2);
    clock.advance(4_999);
    assert.equal(session.turn, 'agent');
    clock.advance(1);
    assert.equal(session.turn, 'none');
    const { request_id, response, stop_reason } = await follower.next('prompt:complete', 2);
    assert.deepEqual([request_id, response, stop_reason], [undefined, 'and more, and still more', 'end_turn']);
    assert.equal(clock.pending, 0);
  });

  it('does not end while a call is open', async () => {
    const { follower, session, tell } = await going();
    await tell({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Build', kind: 'execute', status: 'in_progress' });
    await follower.next('tool:pre');
    clock.advance(60_000);
    assert.equal(session.turn, 'agent');
    await tell({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' });
    await follower.next('tool:post');
    clock.advance(5_000);
    assert.equal(session.turn, 'none');
  });

  it('ends ten minutes after the last update of a call that stays open', async () => {
    const { follower, session, tell } = await going();
    await tell({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Build', kind: 'execute', status: 'in_progress' });
    await follower.next('tool:pre');
    for (let minute = 0; minute < 10; minute++) {
      assert.equal(session.turn, 'agent');
      clock.advance(60_000);
    }
    assert.equal(session.turn, 'none');
  });

  it('may not ask after it was stopped, until the next prompt', async () => {
    const { client, follower, session } = await going();
    await session.cancel();
    const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' as const }];
    const toolCall = { toolCallId: 'c', title: 'Build', status: 'pending' as const };
    const ask = () => client.request('session/request_permission', { sessionId: session.id, toolCall, options });
    assert.deepEqual(await ask(), { outcome: { outcome: 'cancelled' } });
    await session.sendPrompt({ text: 'next' });
    const answered = ask();
    const { approval_id: id, options: names } = await follower.next('approval:required');
    await session.answerApproval(id, names[0] ?? '');
    assert.deepEqual(await answered, { outcome: { outcome: 'selected', optionId: 'yes' } });
  });

  it('does not end while the user is asked', async () => {
    const { client, follower, session } = await going();
    const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' as const }];
    const toolCall = { toolCallId: 'c', title: 'Build', status: 'completed' as const };
    const answered = client.request('session/request_permission', { sessionId: session.id, toolCall, options });
    const { approval_id: id, options: names } = await follower.next('approval:required');
    clock.advance(60_000);
    assert.equal(session.turn, 'agent');
    await session.answerApproval(id, names[0] ?? '');
    await answered;
    clock.advance(5_000);
    assert.equal(session.turn, 'none');
  });

  it('ends at once when the user stops it, and the agent is told', async () => {
    const { follower, isStopped, session } = await going();
    await session.cancel();
    assert.equal(session.turn, 'none');
    assert.equal((await follower.next('prompt:complete', 2)).stop_reason, 'cancelled');
    await eventually('the stop', () => assert.ok(isStopped()));
  });

  it('ends with the next prompt, without an event that could be taken for its end', async () => {
    const { follower, session } = await going();
    await session.sendPrompt({ text: 'next' });
    assert.equal((await follower.next('prompt:complete', 2)).request_id, 's1/2');
    assert.deepEqual(
      follower.names.filter((name) => name.startsWith('prompt:')),
      ['prompt:submit', 'prompt:complete', 'prompt:submit', 'prompt:complete'],
    );
  });

  it('ends with the process of the agent', async () => {
    const { agents, follower, session } = await going();
    agents.last.crash('It broke.');
    assert.equal((await follower.next('prompt:complete', 2)).stop_reason, 'interrupted');
    assert.equal(session.turn, 'none');
  });

  it('is not waited for in a session that was closed while the agent goes on', async () => {
    const { backend } = make(
      (app) => {
        basics(app);
        const stopped = Promise.withResolvers<undefined>();
        app.onNotification('session/cancel', () => stopped.resolve(undefined));
        app.onRequest('session/prompt', async ({ client, params }) => {
          await client.notify('session/update', says(params.sessionId, 'working'));
          await stopped.promise;
          await client.notify('session/update', says(params.sessionId, 'and more'));
          return { stopReason: 'cancelled' };
        });
      },
      { clock },
    );
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('content_block:delta');
    await session.close();
    assert.equal(clock.pending, 0);
  });

  it('ends in version 2 although the agent does not, some time after the user has stopped it', async () => {
    const tellers: V2Teller[] = [];
    let stops = 0;
    const agents = new ScriptedV2Agents((app) => {
      app.onNotification('session/cancel', () => {
        stops++;
      });
      v2Basics(app);
      onV2Prompt(app, async (teller) => {
        tellers.push(teller);
        await teller.idle('end_turn');
      });
    });
    const { backend } = make(() => undefined, { startAgent: agents.start, protocol: '2', clock });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    const [teller] = tellers;
    assert.ok(teller);
    await teller.state('running');
    await eventually('its work', () => assert.equal(session.turn, 'agent'));
    await teller.say('and more', 'a2');
    await follower.next('content_block:delta');
    clock.advance(60_000);
    assert.equal(session.turn, 'agent', 'its end will be reported');
    const cancelled = session.cancel();
    await eventually('the stop', () => assert.equal(stops, 1));
    clock.advance(60_000);
    await cancelled;
    assert.equal(session.turn, 'none');
    assert.equal((await follower.next('prompt:complete', 2)).stop_reason, 'interrupted');
    const { message } = await follower.next('notice');
    assert.match(message, /did not stop when asked\. It may continue the stopped work\./u);
  });
});
