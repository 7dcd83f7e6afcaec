import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { eventually, until } from '../../../support/eventually';
import type { FakeSession } from './support/fakeBackend';
import { Failure, ServerHarness } from './support/serverHarness';
import { refusedUpgrade, WebSocketClient } from './support/webSocketClient';

const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n';

describe('connections to the embedded server that offer HTTP/2', () => {
  let harness: ServerHarness;
  let id: string;
  let fake: FakeSession;
  let socket: Socket;
  let text: string;

  beforeEach(async () => {
    harness = await ServerHarness.start();
    ({ id, fake } = await harness.createSession());
    socket = await harness.dial();
    text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  });
  afterEach(async () => {
    socket.destroy();
    await harness.stop();
  });

  const received = (pattern: RegExp): Promise<void> => until(String(pattern), () => pattern.test(text));
  const promptOf = (body: string, more = offer): string =>
    `POST /sessions/${id}/prompt HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

  it('are answered as if they did not, one request after the other', async () => {
    socket.write(promptOf('{"prompt":"hi"}'));
    await received(/^HTTP\/1\.1 202 [\s\S]*"req-1"/u);
    socket.write(`GET /health HTTP/1.1\r\nHost: localhost\r\n${offer}\r\n`);
    await received(/"status":"healthy"/u);
    socket.write('GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await received(/HTTP\/1\.1 404 /u);
    assert.doesNotMatch(text, /Connection: close/u);
    assert.deepEqual(
      fake.prompts.map(({ text: prompt }) => prompt),
      ['hi'],
    );
  });

  it('have their bodies read whole, in one piece or in many, counted or in chunks', async () => {
    const long = `{"prompt":"${'\u00e4'.repeat(200_000)}"}`;
    socket.write(promptOf(long));
    await received(/"req-1"/u);
    fake.emit('prompt:complete', { response: '' });
    const chunked = promptOf('', `${offer}Transfer-Encoding: chunked\r\n`).replace('Content-Length: 0\r\n', '');
    const pieces = `${chunked}11\r\n{"prompt":"two"}\n\r\n0\r\n\r\n`;
    const middle = pieces.indexOf('two');
    socket.write(pieces.slice(0, middle));
    assert.equal((await harness.call('GET', '/health')).status, 200);
    socket.write(pieces.slice(middle));
    await received(/"req-2"/u);
    assert.deepEqual(
      fake.prompts.map(({ text: prompt }) => prompt.length),
      [200_000, 3],
    );
  });

  it('wait for the answers to what they asked before', async () => {
    const ready = Promise.withResolvers<undefined>();
    harness.backend.beforeCreate = () => ready.promise.then(() => undefined);
    socket.write('POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 18\r\n\r\n{"profile":"fake"}');
    socket.write(promptOf('{"prompt":"hi"}') + promptOf('{"prompt":"again"}'));
    assert.equal((await harness.call('GET', '/health')).status, 200);
    assert.equal(text, '');
    ready.resolve(undefined);
    await received(/^HTTP\/1\.1 201 [\s\S]*HTTP\/1\.1 202 [\s\S]*HTTP\/1\.1 409 /u);
  });

  it('get streams', async () => {
    socket.write(`GET /sessions/${id}/events HTTP/1.1\r\nHost: localhost\r\n${offer}\r\n`);
    await received(/"event":"session:start"/u);
    fake.emit('content_block:delta', { block_index: 0, delta: 'one' });
    await received(/"delta":"one"/u);
  });

  it('keep no server from stopping when they wait behind an answer that nobody reads', async () => {
    const other = await harness.subscribe(id);
    const host = 'Host: localhost\r\n';
    socket.write(`GET /sessions/${id}/events HTTP/1.1\r\n${host}\r\nGET /health HTTP/1.1\r\n${host}${offer}\r\n`);
    await received(/"event":"session:start"/u);
    socket.pause();
    for (let n = 0; n < 30; n++) fake.emit('content_block:delta', { block_index: 0, delta: 'x'.repeat(1024 * 1024) });
    await other.next('content_block:delta', 30);
    await harness.stop();
  });

  it('may do so many times, without a trace', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    for (let count = 1; count <= 30; count++) {
      socket.write(`GET /health HTTP/1.1\r\nHost: localhost\r\n${offer}\r\n`);
      await until(`${count} answers`, () => text.split('"status":"healthy"').length === count + 1);
    }
    process.off('warning', warned);
    assert.deepEqual(warnings, []);
  });

  it('are let in no further by it than others', async () => {
    const refused = await harness.call('GET', '/health', {
      headers: { Connection: 'Upgrade', Upgrade: 'h2c', Origin: 'https://example.com' },
    });
    assert.equal(refused.status, 403);
  });

  it('make one request of one, whatever bytes are in it', async () => {
    // Cut down to one byte each, these would be line ends.
    const ends = '\u010d\u010a\u010d\u010a';
    const inner = 'GET /nowhere HTTP/1.1'.replaceAll(' ', '\u0120');
    for (const request of [
      `GET /health HTTP/1.1\r\nHost: localhost\r\n${offer}X: ${ends}${inner}${ends}\r\n\r\n`,
      `GET /health HTTP/1.1\r\nHost: localhost\r\n${'a:b\r\n'.repeat(2500)}${offer}\r\n`,
    ]) {
      text = '';
      socket.write(request, 'utf8');
      await received(/"status":"healthy"/u);
      socket.write('POST /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await received(/HTTP\/1\.1 405 /u);
      assert.deepEqual(text.match(/HTTP\/1\.1 \d+/gu), ['HTTP/1.1 200', 'HTTP/1.1 405']);
    }
  });
});

describe('connections to the embedded server above its limit', () => {
  let harness: ServerHarness;
  let id: string;
  let held: Socket[];

  beforeEach(async () => {
    // Those that are held send nothing, and stay however long a test takes.
    const patient = { headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 };
    harness = await ServerHarness.start({ limits: { maxConnections: 2, ...patient } });
    ({ id } = await harness.createSession());
    held = await eventually('two held connections', async () => {
      const sockets = [await harness.dial(), await harness.dial()];
      const { status } = await harness.call('GET', '/health');
      if (status === 429) return sockets;
      for (const socket of sockets) socket.destroy();
      throw new Error(String(status));
    });
  });
  afterEach(async () => {
    for (const socket of held) socket.destroy();
    await harness.stop();
  });

  it('are told so and closed, bodies and all, and served when there is room again', async () => {
    const body = { prompt: 'x'.repeat(1024 * 1024) };
    const agent = new Agent({ keepAlive: true });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => harness.call('POST', `/sessions/${id}/prompt`, { body, agent })),
    );
    agent.destroy();
    for (const { headers, json, status } of answers) {
      assert.deepEqual([status, headers.connection], [429, 'close']);
      assert.equal(Failure.parse(json).error.code, 'RATE_LIMITED');
    }
    for (const socket of held) socket.destroy();
    await until('room', async () => (await harness.call('GET', '/health')).status === 200);
  });

  it('get no WebSocket and no HTTP/2 either', async () => {
    const upgrade = await refusedUpgrade(`${harness.url}/sessions/${id}/ws`);
    assert.equal(upgrade.status, 429);
    const headers = { Connection: 'Upgrade', Upgrade: 'h2c' };
    assert.equal((await harness.call('GET', '/health', { headers })).status, 429);
  });

  it('are the next ones after a WebSocket, which is one, too', async () => {
    for (const socket of held) socket.destroy();
    await until('room', async () => (await harness.call('GET', '/health')).status === 200);
    const sockets = [1, 2].map(() => new WebSocketClient(`${harness.url}/sessions/${id}/ws`));
    for (const socket of sockets) await socket.next(/session:start/u);
    assert.equal((await harness.call('GET', '/health')).status, 429);
    for (const socket of sockets) socket.close();
    await until('room', async () => (await harness.call('GET', '/health')).status === 200);
  });

  it('do not count twice when they offer HTTP/2', async () => {
    held[1]?.destroy();
    const headers = { Connection: 'Upgrade', Upgrade: 'h2c' };
    await until('room', async () => (await harness.call('GET', '/health', { headers })).status === 200);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await until('room', async () => (await harness.call('GET', '/health', { agent, headers })).status === 200);
    assert.equal((await harness.call('GET', '/health', { agent, headers })).status, 200);
    agent.destroy();
    await until('room', async () => (await harness.call('GET', '/health', { headers })).status === 200);
  });
});
