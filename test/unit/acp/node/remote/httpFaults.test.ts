import assert from 'node:assert/strict';
import { cwd, Follower } from '../../../../fake/backendHarness';
import { says } from '../../../../fake/acp/scriptedAgent';
import { eventually } from '../../../../support/eventually';
import { headers, HttpAgent, initialized, useRemote } from './support';

describe('a connection to a remote agent over http', () => {
  const { lying, backendAt, failureAt } = useRemote();

  it('ends if the stream of a session ends, because messages are lost', async () => {
    const agent = new HttpAgent();
    agent.onMessage = ({ id, method }) => {
      if (method === 'session/new') agent.say({ id, result: { sessionId: 's1' } });
      if (method === 'session/prompt') agent.streams.get('s1')?.end();
    };
    const server = await lying(agent.behavior);
    const backend = backendAt(server.url('http'), {});
    const session = await backend.createSession({ cwd });
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'x' });
    assert.match((await follower.next('error')).error, /was closed by the server/);
  });

  it('continues if the stream of a closed session ends', async () => {
    const agent = new HttpAgent();
    let sessions = 0;
    agent.onMessage = ({ id, method, params }) => {
      if (method === 'session/new') agent.say({ id, result: { sessionId: `s${++sessions}` } });
      if (method === 'session/prompt') agent.say({ id, result: { stopReason: 'end_turn' } }, `s${sessions}`);
      if (method !== 'session/close') return;
      const { sessionId } = params as { sessionId: string };
      agent.say({ id, result: {} }, sessionId);
      agent.streams.get(sessionId)?.end();
    };
    const server = await lying(agent.behavior);
    const backend = backendAt(server.url('http'), {});
    const connections = (): number => server.requests.filter(({ headers: { 'acp-connection-id': id } }) => !id).length;
    const session = await backend.createSession({ cwd });
    await session.close();
    // The answer comes after the end of the stream.
    const next = await backend.createSession({ cwd });
    const follower = new Follower(next);
    await next.sendPrompt({ text: 'x' });
    await follower.next('prompt:complete');
    assert.equal(connections(), 1);
    assert.equal(backend.state.kind, 'ready');
  });

  it('waits for the history of a loaded session, which comes in another stream than the answer', async () => {
    const agent = new HttpAgent();
    agent.onMessage = ({ id, method }) => {
      if (method !== 'session/load') return;
      agent.say({ id, result: {} });
      setTimeout(() => {
        const prompt = { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'an old prompt' } };
        for (const params of [{ sessionId: 'old', update: prompt }, says('old', 'old '), says('old', 'words')]) {
          agent.say({ method: 'session/update', params }, 'old');
        }
      }, 60);
    };
    const server = await lying(agent.behavior);
    const backend = backendAt(server.url('http'), { quietMs: 200 });
    const session = await backend.loadSession('old', { cwd });
    const follower = new Follower(session);
    await follower.next('prompt:complete');
    const { names } = follower;
    assert.deepEqual(names.slice(names.indexOf('prompt:submit')), [
      'prompt:submit',
      'content_block:start',
      'content_block:delta',
      'content_block:delta',
      'content_block:end',
      'prompt:complete',
    ]);
  });

  it('fails a request that the server refuses, and continues', async () => {
    const agent = new HttpAgent();
    agent.onMessage = ({ id, method }) => {
      if (method === 'session/new') agent.say({ id, result: { sessionId: 's1' } });
      else if (id !== undefined) agent.say({ id, result: { stopReason: 'end_turn' } }, 's1');
    };
    let refusals = 0;
    agent.intercept = ({ message, response }) => {
      if (message['method'] !== 'session/prompt' || refusals++ > 0) return false;
      response.writeHead(503).end('busy');
      return true;
    };
    const server = await lying(agent.behavior);
    const backend = backendAt(server.url('http'), {});
    const session = await backend.createSession({ cwd });
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'x' });
    await follower.next('error');
    await session.sendPrompt({ text: 'y' });
    await follower.next('prompt:complete');
    assert.equal(backend.state.kind, 'ready');
  });

  for (const [status, words] of [
    [404, /has closed this connection \(404\)/],
    [401, /refused the connection \(401\)/],
  ] as const) {
    it(`ends if the server answers a prompt with ${status}`, async () => {
      const agent = new HttpAgent();
      agent.onMessage = ({ id, method }) => {
        if (method === 'session/new') agent.say({ id, result: { sessionId: 's1' } });
      };
      agent.intercept = ({ message, response }) => {
        if (message['method'] !== 'session/prompt') return false;
        response.writeHead(status).end('<b>secret words of the server</b>');
        return true;
      };
      const server = await lying(agent.behavior);
      const session = await backendAt(server.url('http'), {}).createSession({ cwd });
      const follower = new Follower(session);
      await session.sendPrompt({ text: 'x' });
      const { error: message } = await follower.next('error');
      assert.match(message, words);
      assert.doesNotMatch(message, /secret words/);
    });
  }

  it('ends if the server takes a message and does not answer', async () => {
    const agent = new HttpAgent();
    agent.intercept = ({ message }) => message['method'] === 'session/new';
    const server = await lying(agent.behavior);
    await assert.rejects(backendAt(server.url('http')).createSession({ cwd }), /did not answer within 0\.4 seconds/);
  });

  it('fails if the answer to initialize names no connection, is no message, or is for another request', async () => {
    const answers: [object, Record<string, string>][] = [
      [initialized(0), {}],
      [{ hello: 'world' }, { 'Acp-Connection-Id': 'c' }],
      [initialized(99), { 'Acp-Connection-Id': 'c' }],
    ];
    for (const [body, more] of answers) {
      const server = await lying({
        http: ({ response }) => {
          response.writeHead(200, { 'Content-Type': 'application/json', ...more }).end(JSON.stringify(body));
        },
      });
      assert.match(await failureAt(server.url('http')), /does not respond like an agent/);
    }
  });

  it('keeps no socket for long that the server could close at any time', async () => {
    const agent = new HttpAgent();
    agent.onMessage = ({ id }) => {
      if (id !== undefined) agent.say({ id, result: { sessionId: 's1' } });
    };
    const server = await lying(agent.behavior);
    const backend = backendAt(server.url('http'), { idleSocketMs: 40 });
    await backend.createSession({ cwd });
    await eventually('only the streams', async () => assert.equal(await server.socketCount(), agent.streams.size));
    await backend.createSession({ cwd });
    assert.equal(backend.state.kind, 'ready');
  });

  it('sends its headers and the cookies of the server with each request', async () => {
    const agent = new HttpAgent();
    agent.onMessage = ({ id }) => {
      if (id !== undefined) agent.say({ id, result: { sessionId: 's1' } });
    };
    agent.intercept = ({ message, response }) => {
      if (message['method'] === 'initialize') response.setHeader('Set-Cookie', ['route=7; Path=/; HttpOnly', 'a=b']);
      return false;
    };
    const server = await lying(agent.behavior);
    await backendAt(server.url('http'), {}).createSession({ cwd });
    const [first, ...others] = server.requests;
    assert.equal(first?.headers.cookie, undefined);
    for (const request of server.requests) assert.equal(request.headers.authorization, headers.Authorization);
    assert.ok(others.length >= 2);
    for (const request of others) assert.equal(request.headers.cookie, 'route=7; a=b');
  });
});
