import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import { WebSocket } from 'ws';
import { defaultRemoteLimits } from '../../../../../src/acp/node/remote/remoteLimits';
import { startAgentProcess } from '../../../../../src/acp/node/process/agentProcess';
import type { AgentServer, AgentServerDeps } from '../../../../../src/acp/node/serve/agentServer';
import { nullLogger } from '../../../../../src/base/common/log';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { addressOf, remoteToken, serveAgents } from '../../../../fake/acp/remoteAgents';
import { FakeClock } from '../../../../fake/fakeClock';
import { basics, echo, never, ScriptedAgents, type Script } from '../../../../fake/acp/scriptedAgent';
import { eventually, until } from '../../../../support/eventually';
import { makeCertificate } from '../../../context/support/tlsServer';

const authorization = `Bearer ${remoteToken}`;
const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } };
const json = { Authorization: authorization, 'Content-Type': 'application/json' };

describe('the server of an agent', () => {
  const servers: AgentServer[] = [];
  const sockets: WebSocket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.terminate();
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  async function serve(options: Partial<AgentServerDeps> = {}, script: Script = echo) {
    const agents = new ScriptedAgents(script);
    const server = await serveAgents(agents.start, options);
    servers.push(server);
    return { agents, server, url: new URL(server.url) };
  }

  /** The status of a request, written by hand so that every header is as given. */
  async function statusOf(
    url: URL,
    headers: Readonly<Record<string, string>>,
    path = '/acp',
    method = 'POST',
  ): Promise<number> {
    const request = http.request({
      host: url.hostname,
      port: url.port,
      path,
      method,
      headers,
      setHost: !('Host' in headers),
    });
    request.end(method === 'POST' ? JSON.stringify(initialize) : undefined);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.destroy();
    return response.statusCode ?? 0;
  }

  function connect(url: URL, headers: Readonly<Record<string, string>> = { Authorization: authorization }): WebSocket {
    const socket = new WebSocket(addressOf(url.href, 'webSocket').url, { headers: { ...headers } });
    sockets.push(socket);
    socket.on('error', () => undefined);
    return socket;
  }

  /** Lets time pass, a little more than a connection of these tests may be idle or silent, until it is so. */
  const untilIdle = (clock: FakeClock, what: string, isSo: () => boolean): Promise<void> =>
    until(what, () => {
      clock.advance(61);
      return isSo();
    });

  async function closeCodeOf(socket: WebSocket): Promise<number> {
    const [code] = (await once(socket, 'close')) as [number];
    return code;
  }

  it('lets in those with the token, and nobody else', async () => {
    const { agents, url } = await serve();
    assert.equal(await statusOf(url, json), 200);
    for (const wrong of ['', 'Bearer ', `Bearer ${remoteToken}x`, remoteToken, `Basic ${remoteToken}`, 'Bearer x']) {
      assert.equal(await statusOf(url, { ...json, Authorization: wrong }), 401, wrong);
      assert.equal(await statusOf(url, { Authorization: wrong }, '/acp', 'GET'), 401);
    }
    assert.equal(await statusOf(url, { 'Content-Type': 'application/json' }, `/acp?token=${remoteToken}`), 401);
    assert.equal(agents.started.length, 1);
    for (const headers of [{}, { Authorization: 'Bearer wrong' }]) {
      const socket = connect(url, headers);
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, http.IncomingMessage];
      assert.equal(response.statusCode, 401);
    }
    assert.equal(agents.started.length, 1);
  });

  it('lets in no web page, and nobody who uses another name for this machine', async () => {
    const { agents, url } = await serve();
    const host = `127.0.0.1:${url.port}`;
    assert.equal(await statusOf(url, { ...json, Origin: 'https://evil.example' }), 403);
    assert.equal(await statusOf(url, { ...json, Origin: `http://${host}` }), 403);
    assert.equal(await statusOf(url, { ...json, Host: 'evil.example' }), 403);
    assert.equal(await statusOf(url, { ...json, Host: `127.0.0.1.evil.example:${url.port}` }), 403);
    assert.equal(await statusOf(url, { ...json, Host: `localhost:${url.port}` }), 200);
    assert.equal(await statusOf(url, json, '/other'), 404);
    assert.equal(await statusOf(url, json, `/acp?${'x'.repeat(5000)}`), 414);
    assert.equal(agents.started.length, 1);
    const other = await serve({ allowedHosts: ['Big.example'] });
    assert.equal(await statusOf(other.url, { ...json, Host: 'big.example:443' }), 200);
  });

  it('gives each connection an agent of its own, and no more than the limit', async () => {
    const { agents, server, url } = await serve({ limits: { maxConnections: 2 } });
    assert.equal(await statusOf(url, json), 200);
    const socket = connect(url);
    await once(socket, 'open');
    assert.equal(await statusOf(url, json), 503);
    const third = connect(url);
    const [, response] = (await once(third, 'unexpected-response')) as [unknown, http.IncomingMessage];
    assert.equal(response.statusCode, 503);
    socket.close();
    await eventually('a free place', () => assert.equal(server.agentCount, 1));
    assert.equal(await statusOf(url, json), 200);
    assert.equal(agents.started.length, 2);
  });

  it('has no more connections than the limit if many begin at once', async () => {
    const { agents, url } = await serve({ limits: { maxConnections: 2 } });
    const text = JSON.stringify(initialize);
    const headers = { ...json, 'Content-Length': String(text.length) };
    const requests = Array.from({ length: 5 }, () => http.request(url, { method: 'POST', headers }));
    const answers = requests.map(async (request) => {
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      response.resume();
      return response.statusCode;
    });
    for (const request of requests) {
      request.on('error', () => undefined);
      request.write(text.slice(0, 1));
    }
    // All of them have begun when the server refuses the others.
    await eventually('three refusals', async () => {
      const known = await Promise.all(answers.map((answer) => Promise.race([answer, Promise.resolve(undefined)])));
      assert.equal(known.filter((status) => status === 503).length, 3);
    });
    for (const request of requests) if (!request.destroyed) request.end(text.slice(1));
    assert.deepEqual((await Promise.all(answers)).sort(), [200, 200, 503, 503, 503]);
    assert.equal(agents.started.length, 2);
    assert.equal(await statusOf(url, json), 503);
  });

  it('gives the place of a request that never became a connection to another', async () => {
    const { url } = await serve({ limits: { maxConnections: 1 } });
    const request = http.request(url, { method: 'POST', headers: { ...json, 'Content-Length': '1000' } });
    request.on('error', () => undefined);
    request.write('{');
    await eventually('a request that waits', async () => assert.equal(await statusOf(url, json), 503));
    request.destroy();
    await eventually('a free place', async () => assert.equal(await statusOf(url, json), 200));
  });

  it('waits for a long body as long as it goes on arriving', async () => {
    const clock = new FakeClock();
    const { url } = await serve({ clock, limits: { requestTimeoutMs: 1000 } });
    const text = JSON.stringify(initialize);
    const begin = async (): Promise<http.ClientRequest> => {
      const request = http.request(url, {
        method: 'POST',
        headers: { ...json, 'Content-Length': String(text.length) },
      });
      request.on('error', () => undefined);
      const before = clock.pending;
      request.write(text.slice(0, 1));
      await eventually('the request at the server', () => assert.ok(clock.pending > before));
      return request;
    };
    const slow = await begin();
    for (const piece of [text.slice(1, 10), text.slice(10, 20)]) {
      slow.write(piece);
      // When the server answers this request, it has read the piece.
      assert.equal(await statusOf(url, json, '/other'), 404);
      clock.advance(900);
    }
    const answered = once(slow, 'response');
    slow.end(text.slice(20));
    const [response] = (await answered) as [http.IncomingMessage];
    assert.equal(response.statusCode, 200);
    response.resume();
    const stalled = await begin();
    const closed = new Promise((resolve) => stalled.once('close', resolve));
    clock.advance(2000);
    await closed;
  });

  it('counts a connection whose header with the id is empty as a new one', async () => {
    const clock = new FakeClock();
    const { agents, url } = await serve({ clock, limits: { maxConnections: 1, idleMs: 60 } });
    const headers = { ...json, 'Acp-Connection-Id': '' };
    assert.equal(await statusOf(url, headers), 200);
    assert.equal(await statusOf(url, headers), 503);
    await untilIdle(clock, 'the end of the agent', () => agents.last.isGone);
  });

  it('starts no agent for a WebSocket that says nothing, and closes it', async () => {
    const { agents, url } = await serve({ limits: { firstMessageTimeoutMs: 50 } });
    assert.equal(await closeCodeOf(connect(url)), 1006);
    assert.deepEqual(agents.started, []);
  });

  it('closes a WebSocket that gives no sign of life, and ends its agent', async () => {
    const clock = new FakeClock();
    const { agents, url } = await serve({ clock, limits: { pingMs: 60 } });
    const socket = connect(url);
    await once(socket, 'open');
    socket.send(JSON.stringify(initialize));
    await once(socket, 'message');
    socket.pause();
    await untilIdle(clock, 'the end of the agent', () => agents.last.isGone);
    socket.resume();
  });

  it('keeps a WebSocket while a long message arrives, which delays signs of life', async () => {
    const clock = new FakeClock();
    const { url } = await serve({ clock, limits: { pingMs: 60 } });
    const { url: address, headers } = addressOf(url.href, 'webSocket');
    const socket = new WebSocket(address, { headers, autoPong: false });
    sockets.push(socket);
    const opened = once(socket, 'open');
    const [response] = (await once(socket, 'upgrade')) as [http.IncomingMessage];
    await opened;
    const next = async (): Promise<string> =>
      await Promise.race(['ping', 'close'].map(async (event) => await once(socket, event).then(() => event)));
    const firstSign = next();
    clock.advance(60);
    assert.equal(await firstSign, 'ping');
    // The beginning of a text of 1,000,000 bytes.
    response.socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x0f, 0x42, 0x40, 0, 0, 0, 0, 0x20]));
    // When the server answers this request, it has read the text.
    assert.equal(await statusOf(url, json, '/other'), 404);
    const secondSign = next();
    clock.advance(60);
    assert.equal(await secondSign, 'ping');
    const lastSign = next();
    clock.advance(60);
    assert.equal(await lastSign, 'close');
  });

  it('keeps idle sockets for much longer than clients do', async () => {
    const { server } = await serve();
    const response = await fetch(server.url, { method: 'POST', headers: json, body: JSON.stringify(initialize) });
    await response.text();
    const [, seconds] = /timeout=(\d+)/.exec(response.headers.get('keep-alive') ?? '') ?? [];
    assert.ok(Number(seconds) * 1_000 > 10 * defaultRemoteLimits.idleSocketMs, seconds);
  });

  it('ends the agent of a client over HTTP that has disappeared', async () => {
    const clock = new FakeClock();
    const { agents, server, url } = await serve({ clock, limits: { idleMs: 60 } });
    assert.equal(await statusOf(url, json), 200);
    await untilIdle(clock, 'the end of the agent', () => agents.last.isGone && server.agentCount === 0);
  });

  it('keeps the agent of a client that only listens', async () => {
    const clock = new FakeClock();
    const { agents, server, url } = await serve({ clock, limits: { idleMs: 60 } });
    const response = await fetch(server.url, { method: 'POST', headers: json, body: JSON.stringify(initialize) });
    const connection = { 'Acp-Connection-Id': response.headers.get('acp-connection-id') ?? '' };
    const abort = new AbortController();
    const stream = { Accept: 'text/event-stream', Authorization: authorization, ...connection };
    await fetch(server.url, { headers: stream, signal: abort.signal });
    // Another connection is idle for as long, and ends.
    assert.equal(await statusOf(url, json), 200);
    await untilIdle(clock, 'the end of the other agent', () => agents.started[1]?.isGone === true);
    assert.equal(agents.started[0]?.isGone, false);
    abort.abort();
    await untilIdle(clock, 'the end of the agent', () => agents.started[0]?.isGone === true);
  });

  it('refuses messages that are too large, without reading them', async () => {
    const { url } = await serve({ limits: { maxMessageBytes: 1000 } });
    const large = JSON.stringify({ ...initialize, params: { text: 'x'.repeat(2000) } });
    const response = await fetch(url, { method: 'POST', headers: json, body: large });
    assert.equal(response.status, 413);
    const socket = connect(url);
    await once(socket, 'open');
    socket.send(large);
    assert.equal(await closeCodeOf(socket), 1009);
  });

  it('ends an agent whose output the client does not read', async () => {
    const flood: Script = (app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const content = { type: 'text' as const, text: 'x'.repeat(100_000) };
        const update = { sessionUpdate: 'agent_message_chunk' as const, content };
        for (let i = 0; i < 200; i++)
          void client.notify('session/update', { sessionId, update }).catch(() => undefined);
        return await never();
      });
    };
    const { agents, url } = await serve({ limits: { maxWaitingBytes: 500_000 } }, flood);
    const socket = connect(url);
    await once(socket, 'open');
    const ask = (id: number, method: string, params: object): void =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    ask(0, 'initialize', { protocolVersion: 1 });
    await once(socket, 'message');
    ask(1, 'session/new', { cwd: '/ws', mcpServers: [] });
    const [answer] = (await once(socket, 'message')) as [Buffer];
    const { result } = JSON.parse(String(answer)) as { result: { sessionId: string } };
    socket.pause();
    ask(2, 'session/prompt', { sessionId: result.sessionId, prompt: [] });
    await eventually('the end of the agent', () => assert.ok(agents.last.isGone));
    socket.resume();
  });

  it('passes on all that an agent said before it ended', async () => {
    const script = `
      process.stdin.once('data', () => {
        const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
        say({ id: 0, result: { protocolVersion: 1 } });
        for (let i = 0; i < 2000; i++) say({ method: 'session/update', params: { i, text: 'x'.repeat(500) } });
        process.exitCode = 1;
        process.stdin.destroy();
      });`;
    const command = { command: process.execPath, args: ['-e', script], env: {}, cwd: tmpdir() };
    const server = await serveAgents(() => startAgentProcess(command, { clock: systemClock, log: nullLogger }));
    servers.push(server);
    const socket = connect(new URL(server.url));
    let count = 0;
    socket.on('message', () => count++);
    await once(socket, 'open');
    socket.send(JSON.stringify(initialize));
    await once(socket, 'close');
    assert.equal(count, 2001);
    await eventually('the end', () => assert.equal(server.agentCount, 0));
  });

  it('says so when the agent cannot be started', async () => {
    const server = await serveAgents(() => Promise.reject(new Error('no such program /secret/path')));
    servers.push(server);
    const response = await fetch(server.url, { method: 'POST', headers: json, body: JSON.stringify(initialize) });
    const body = await response.text();
    assert.match(body, /The agent cannot be started/);
    assert.doesNotMatch(body, /secret/);
    assert.equal(server.agentCount, 0);
  });

  it('survives broken requests, upgrades to something else, and half a request', async () => {
    const { url } = await serve();
    const port = Number(url.port);
    for (const text of [
      'nonsense\r\n\r\n',
      `GET /acp HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n`,
      `GET /acp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nAuthorization: ${authorization}\r\n\r\n`,
      `POST /acp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\nAuthorization: ${authorization}\r\n\r\n{`,
    ]) {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(text);
      if (!text.includes('1000')) await once(socket.resume(), 'close');
      socket.destroy();
    }
    const bad = await fetch(url, { method: 'POST', headers: json, body: 'no json' });
    assert.equal(bad.status, 400);
    const batch = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify([initialize]) });
    assert.equal(batch.status, 400);
    assert.equal(await statusOf(url, json), 200);
  });

  it('ends all agents, connections and the port when it stops', async () => {
    const { agents, server, url } = await serve();
    assert.equal(await statusOf(url, json), 200);
    const socket = connect(url);
    await once(socket, 'open');
    socket.send(JSON.stringify(initialize));
    await once(socket, 'message');
    const closed = once(socket, 'close');
    await server.stop();
    await closed;
    assert.ok(agents.started.every(({ isGone }) => isGone));
    assert.equal(agents.started.length, 2);
    await assert.rejects(statusOf(url, json), /ECONNREFUSED/);
  });

  it('ends sockets that do not finish their TLS handshake: in time, and when it stops', async () => {
    const tls = await makeCertificate();
    for (const limits of [{ headersTimeoutMs: 50 }, {}]) {
      const { server, url } = await serve({ tls, limits });
      const socket = net.connect(Number(url.port), '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      const closed = once(socket, 'close');
      if (limits.headersTimeoutMs === undefined) await server.stop();
      await closed;
    }
  });
});
