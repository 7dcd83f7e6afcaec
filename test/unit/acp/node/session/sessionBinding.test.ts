import assert from 'node:assert/strict';
import { RequestError } from '@agentclientprotocol/sdk';
import { AgentRequestRunner } from '../../../../../src/acp/node/connection/agentRequestRunner';
import { RestartPolicy } from '../../../../../src/acp/node/process/restartPolicy';
import { SessionBinding } from '../../../../../src/acp/node/session/sessionBinding';
import { SessionConfig } from '../../../../../src/acp/node/session/sessionConfig';
import { SessionToolCaller } from '../../../../../src/acp/common/sessionToolCaller';
import type { SessionPeer } from '../../../../../src/acp/node/connection/agentClient';
import { ConfigOptions } from '../../../../../src/acp/common/session/configOptions';
import { nullLogger } from '../../../../../src/base/common/log';
import { EventLog } from '../../../../../src/session/common/eventLog';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';
import { disabledTrafficTap } from '../../../../../src/wire/common/traffic';
import { FakeClock } from '../../../../fake/fakeClock';
import { basics, never, says, ScriptedAgents, type Script } from '../../../../fake/acp/scriptedAgent';
import { eventually, until } from '../../../../support/eventually';

const canLoad = { agentCapabilities: { loadSession: true, sessionCapabilities: { close: {} } } };
const notNow = new AbortController().signal;

describe('SessionAttachment', () => {
  const made: AgentRequestRunner[] = [];

  afterEach(() => {
    for (const agent of made.splice(0)) agent.dispose();
  });

  /** Of the session `old`, which no process has. `wire`: what the agent is asked, each with the number of its process. */
  function attachmentTo(script: Script) {
    const wire: string[] = [];
    const clock = new FakeClock();
    const noDelay = { delay: { firstMs: 0, maxMs: 0 }, maxCrashes: 5, windowMs: 180_000 };
    const agents = new ScriptedAgents(script);
    const agent = new AgentRequestRunner({
      title: 'Demo',
      clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
      clock,
      log: nullLogger,
      tap: disabledTrafficTap,
      startAgent: agents.start,
      restartPolicy: new RestartPolicy(
        () => clock.now(),
        () => 0,
        noDelay,
      ),
      missingFile: 'error',
      mcpServers: () => Promise.resolve([]),
      defaultFolder: () => '/ws',
    });
    made.push(agent);
    const events = new EventLog(() => Promise.resolve());
    events.append({ event: 'session:start', data: { session_id: 'old' } });
    const heard: string[] = [];
    const unused = (): never => assert.fail('not asked for');
    const peer: SessionPeer = {
      get files() {
        return unused();
      },
      get terminals() {
        return unused();
      },
      requestPermission: unused,
      handleUpdate: ({ sessionUpdate }) =>
        heard.push(attachment.shouldDropUpdates ? `${sessionUpdate} (muted)` : sessionUpdate),
      handleDisconnect: () => attachment.markProcessLost(),
    };
    const config = new SessionConfig({ config: new ConfigOptions(), agent, owner: {}, onDidChange: () => undefined });
    const folders = { cwd: '/ws' };
    const toolCaller = new SessionToolCaller();
    const callers = { toolCaller: () => toolCaller, replaceToolCaller: () => undefined };
    const emit = (told: readonly SessionEvent[]): void => told.forEach((event) => events.append(event));
    const source = { emit, updateCount: () => heard.length };
    const ports = { id: 'old', folders, agent, peer, ...callers, config, ...source, log: nullLogger };
    const attachment: SessionBinding = new SessionBinding(ports);
    return { agent, agents, attachment, clock, events, heard, wire };
  }

  async function told(events: EventLog): Promise<SessionEvent[]> {
    events.end();
    const all: SessionEvent[] = [];
    for await (const { event } of events.read({ afterSequence: 1 })) all.push(event);
    return all;
  }

  it('loads the session in a new process, and is muted while the agent tells the history', async () => {
    const { attachment, events, heard } = attachmentTo((app, process) => {
      app.onRequest('session/load', async ({ params: { sessionId } }) => {
        const params = says(sessionId, 'said before');
        await process.end.send({ jsonrpc: '2.0', method: 'session/update', params });
        return {};
      });
      basics(app, canLoad);
    });
    const { agentSessionId, hasForgotten } = await attachment.ensureAttached(notNow);
    assert.deepEqual([agentSessionId, hasForgotten], ['old', false]);
    assert.deepEqual(heard, ['agent_message_chunk (muted)']);
    assert.equal(attachment.shouldDropUpdates, false);
    assert.deepEqual(await told(events), []);
  });

  it('begins anew when the agent does not find the session, and says so', async () => {
    const { attachment, events } = attachmentTo((app) => {
      app.onRequest('session/load', () => {
        throw RequestError.resourceNotFound('old');
      });
      basics(app, canLoad);
    });
    assert.equal((await attachment.ensureAttached(notNow)).hasForgotten, true);
    assert.equal(attachment.agentSessionId, 's1');
    attachment.markReminded('old');
    assert.equal((await attachment.ensureAttached(notNow)).hasForgotten, true);
    attachment.markReminded('s1');
    assert.equal((await attachment.ensureAttached(notNow)).hasForgotten, false);
    const message = 'Demo was restarted and doesn’t remember this conversation.';
    assert.deepEqual(await told(events), [
      { event: 'session:info', data: { session_id: 'old', agent_session_id: 's1' } },
      { event: 'notice', data: { session_id: 'old', level: 'warning', message } },
    ]);
  });

  for (const [method, initialize] of [
    ['session/load', canLoad],
    ['session/new', { agentCapabilities: {} }],
  ] as const) {
    it(`a process that dies in ${method} is told, and the next one is asked`, async () => {
      const { agents, attachment } = attachmentTo((app, process, nth) => {
        app.onRequest(method, () => {
          if (nth > 1) return { sessionId: 'new' };
          process.crash('disk full');
          return never();
        });
        basics(app, initialize);
      });
      await assert.rejects(attachment.ensureAttached(notNow));
      assert.equal((await attachment.ensureAttached(notNow)).kind, 'attached');
      assert.equal(agents.started.length, 2);
    });
  }

  it('asks again in the next process, and counts its usage from zero, when one is lost', async () => {
    const { agents, attachment, wire } = attachmentTo((app, _process, nth) => {
      app.onRequest('session/load', () => void wire.push(`load ${nth}`));
      basics(app, canLoad);
    });
    await attachment.ensureAttached(notNow);
    const counted = { input: 5, output: 1 };
    attachment.usage.usageOfTurn(counted, 'session');
    agents.last.crash('');
    await eventually('another process', async () => {
      await attachment.ensureAttached(notNow);
      assert.deepEqual(wire, ['load 1', 'load 2']);
    });
    assert.deepEqual(attachment.usage.usageOfTurn(counted, 'session'), { input_tokens: 5, output_tokens: 1 });
  });

  it('does not begin anew where the agent wants the user to sign in: the session may still be there', async () => {
    let isSignedIn = false;
    const { agent, attachment, events, wire } = attachmentTo((app) => {
      app.onRequest('authenticate', () => void (isSignedIn = true));
      app.onRequest('session/load', () => {
        wire.push('load');
        if (!isSignedIn) throw RequestError.authRequired();
        return {};
      });
      // Only the session that checks the sign-in, which is none of the user's.
      app.onRequest('session/new', () => {
        wire.push('new');
        return { sessionId: 'check' };
      });
      basics(app, { ...canLoad, authMethods: [{ id: 'key', name: 'Key' }] });
    });
    await assert.rejects(attachment.ensureAttached(notNow), RequestError.authRequired());
    await agent.signIn.authenticate('key');
    assert.equal((await attachment.ensureAttached(notNow)).agentSessionId, 'old');
    assert.deepEqual(wire, ['load', 'new', 'load']);
    assert.deepEqual(await told(events), []);
  });

  for (const how of ['by the user', 'by its time'] as const) {
    it(`asks again, and does not begin anew, after a try that was ended ${how}`, async () => {
      const { attachment, clock, wire } = attachmentTo((app) => {
        app.onRequest('session/load', () => {
          wire.push('load');
          return wire.length === 1 ? never() : {};
        });
        basics(app, canLoad);
      });
      const abort = new AbortController();
      const joined = attachment.ensureAttached(abort.signal);
      joined.catch(() => undefined);
      await until('the request', () => wire.length === 1);
      if (how === 'by the user') abort.abort();
      else clock.advance(2 * 60_000);
      await assert.rejects(joined, how === 'by the user' ? { code: 'cancelled' } : { name: 'TimeoutError' });
      assert.equal((await attachment.ensureAttached(notNow)).agentSessionId, 'old');
      assert.deepEqual(wire, ['load', 'load']);
    });
  }

  it('asks once for two who join at the same time', async () => {
    const { attachment, wire } = attachmentTo((app) => {
      app.onRequest('session/load', () => void wire.push('load'));
      basics(app, canLoad);
    });
    const [first, second] = await Promise.all([attachment.ensureAttached(notNow), attachment.ensureAttached(notNow)]);
    assert.equal(first.client, second.client);
    assert.deepEqual(wire, ['load']);
  });

  it('takes the session up for the second of two when the first gives up', async () => {
    const { attachment, wire } = attachmentTo((app) => {
      app.onRequest('session/load', () => {
        wire.push('load');
        return wire.length === 1 ? never() : {};
      });
      basics(app, canLoad);
    });
    const abort = new AbortController();
    const first = assert.rejects(attachment.ensureAttached(abort.signal), { code: 'cancelled' });
    const second = attachment.ensureAttached(notNow);
    await until('the request', () => wire.length === 1);
    abort.abort();
    await first;
    assert.equal((await second).kind, 'attached');
  });

  it('an answer that comes after the session was left attaches nothing', async () => {
    let answer: (() => void) | undefined;
    const { agents, attachment, heard, wire } = attachmentTo((app) => {
      app.onRequest('session/new', () => {
        wire.push('new');
        return { sessionId: 'new' };
      });
      app.onRequest('session/load', () => new Promise<object>((resolve) => (answer = () => resolve({}))));
      basics(app, canLoad);
    });
    const joined = assert.rejects(attachment.ensureAttached(notNow), { code: 'closed' });
    await until('the request', () => answer !== undefined);
    await attachment.close();
    answer?.();
    await joined;
    await agents.last.end.send({ jsonrpc: '2.0', method: 'session/update', params: says('old', 'too late') });
    assert.deepEqual([heard, wire], [[], []]);
  });

  it('tells the process that it leaves, and only that one', async () => {
    const { agents, attachment, wire } = attachmentTo((app, _process, nth) => {
      app.onRequest('session/load', () => ({}));
      app.onRequest('session/close', ({ params: { sessionId } }) => {
        wire.push(`close ${sessionId} in ${nth}`);
        return {};
      });
      basics(app, canLoad);
    });
    await attachment.ensureAttached(notNow);
    await attachment.close();
    await attachment.close();
    assert.deepEqual(wire, ['close old in 1']);
    assert.equal(agents.started.length, 1);
  });
});
