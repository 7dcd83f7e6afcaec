import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { FakeSession } from './support/fakeBackend';
import { ServerHarness } from './support/serverHarness';

/** What comes over a bare connection. */
class Received {
  text = '';
  hasEnded = false;

  constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (chunk: string) => (this.text += chunk));
    socket.on('end', () => (this.hasEnded = true));
  }

  /** The test's own time limit ends it. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) await once(this.socket, 'data');
  }
}

describe('connections to the embedded server', () => {
  let harness: ServerHarness;
  let id: string;
  let fake: FakeSession;
  let socket: Socket;
  let received: Received;
  beforeEach(async () => {
    harness = await ServerHarness.start({ limits: { maxBodyBytes: 1024 } });
    ({ id, fake } = await harness.createSession());
    socket = await harness.dial();
    received = new Received(socket);
  });
  afterEach(async () => {
    socket.destroy();
    await harness.stop();
  });

  const untilClosed = async (): Promise<string> => {
    if (!received.hasEnded) await once(socket, 'end');
    return received.text;
  };

  it('end with an error when the client asks for that', async () => {
    socket.write('GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    assert.match(await untilClosed(), /^HTTP\/1\.1 404 [\s\S]*\r\nConnection: close\r\n[\s\S]*"code":"NOT_FOUND"/u);
  });

  it('end with an error for a client of HTTP/1.0', async () => {
    socket.write('GET /nowhere HTTP/1.0\r\nHost: localhost\r\n\r\n');
    assert.match(await untilClosed(), /^HTTP\/1\.1 404 [\s\S]*\r\nConnection: close\r\n[\s\S]*"code":"NOT_FOUND"/u);
  });

  it('go on after an error otherwise, also when the rest of a body still comes', async () => {
    socket.write('GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await received.until(/"code":"NOT_FOUND"/u);
    socket.write('POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000\r\n\r\n');
    await received.until(/HTTP\/1\.1 413 /u);
    socket.write(`${'x'.repeat(2000)}GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await received.until(/"status":"healthy"/u);
    assert.doesNotMatch(received.text, /Connection: close/u);
  });

  for (const [what, path, answer] of [
    ['an error', '/nowhere', /"code":"NOT_FOUND".*\}$/u],
    ['a success that asks for no body', '/sessions/{id}/cancel', /"status":"cancelled".*\}$/u],
  ] as const) {
    it(`end after ${what} only when all of the request was sent`, async () => {
      const head = 'HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n';
      socket.write(`POST ${path.replace('{id}', id)} ${head}`);
      await received.until(answer);
      socket.write('x'.repeat(999));
      // A connection that was closed would have said so before an answer over another one.
      assert.equal((await harness.call('GET', '/health')).status, 200);
      assert.equal(received.hasEnded, false);
      socket.write('x');
      assert.match(await untilClosed(), /\r\nConnection: close\r\n/u);
    });
  }

  it('give an event stream its turn among answers to requests before it', async () => {
    const ready = Promise.withResolvers<undefined>();
    harness.backend.beforeCreate = () => ready.promise.then(() => undefined);
    const host = 'Host: localhost';
    socket.write(`POST /sessions HTTP/1.1\r\n${host}\r\nContent-Length: 18\r\n\r\n{"profile":"fake"}`);
    socket.write(`GET /sessions/${id}/events HTTP/1.1\r\n${host}\r\n\r\n`);
    const other = await harness.subscribe(id);
    fake.emit('content_block:delta', { block_index: 0, delta: 'before' });
    await other.next('content_block:delta');
    assert.equal(received.text, '');
    ready.resolve(undefined);
    await received.until(/"delta":"before"/u);
    fake.emit('content_block:delta', { block_index: 0, delta: 'after' });
    await other.next('content_block:delta', 2);
    await received.until(/"delta":"after".*\n\n$/u);
    assert.match(received.text, /^HTTP\/1\.1 201 [\s\S]*\}HTTP\/1\.1 200 OK\r\nContent-Type: text\/event-stream/u);
    const stream = received.text.slice(received.text.lastIndexOf('\r\n\r\n') + 4);
    assert.equal(stream, other.text);
    await harness.call('DELETE', `/sessions/${id}`);
    assert.match(await untilClosed(), /"event":"session:end"/u);
  });
});
