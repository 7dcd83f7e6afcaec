import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import * as http from 'node:http';
import * as net from 'node:net';
import { NodeFetch } from '../../../../../src/acp/node/remote/nodeFetch';
import { defaultRemoteLimits } from '../../../../../src/acp/node/remote/remoteLimits';
import { FakeClock } from '../../../../fake/fakeClock';
import { eventually } from '../../../../support/eventually';
import { OutgoingHttp } from '../../../../../src/wire/node/outgoingHttp';

const { answerTimeoutMs } = defaultRemoteLimits;
const bodyBytes = 24 * 1024 * 1024;

/** Answers the first request at once, then reads only when the test says so. */
class SlowServer {
  private readonly server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n');
      socket.pause();
      socket.on('data', (chunk: Buffer) => {
        this.readBytes += chunk.length;
        if (this.readBytes >= this.allowedBytes) socket.pause();
      });
      socket.pause();
    });
    this.socket = socket;
  });
  private socket: net.Socket | undefined;
  private allowedBytes = 0;
  readBytes = 0;

  async start(): Promise<URL> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    assert.ok(address !== null && typeof address === 'object');
    return new URL(`http://127.0.0.1:${address.port}/acp`);
  }

  async read(bytes: number): Promise<void> {
    this.allowedBytes = this.readBytes + bytes;
    this.socket?.resume();
    await eventually('the bytes', () => assert.ok(this.readBytes >= this.allowedBytes));
  }

  answer(): void {
    this.socket?.write('HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n');
  }

  async stop(): Promise<void> {
    this.socket?.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('a request to a remote agent', () => {
  const clock = new FakeClock();
  let server: SlowServer;
  let network: NodeFetch;
  let url: URL;

  beforeEach(async () => {
    server = new SlowServer();
    url = await server.start();
    const isSessionOver = (): boolean => false;
    network = new NodeFetch({
      http: new OutgoingHttp(),
      url,
      where: 'the server',
      clock,
      limits: defaultRemoteLimits,
      isSessionOver,
    });
    // Only a response that was read frees its socket for the next request.
    await (await network.fetch(url, { method: 'POST', body: 'first' })).text();
  });
  afterEach(async () => {
    network.dispose();
    await server.stop();
  });

  const send = async (): Promise<number> =>
    (await network.fetch(url, { method: 'POST', body: 'x'.repeat(bodyBytes) })).status;

  it('may take longer than the time for an answer if the line is slow', async () => {
    let spentMs = 0;
    // The server cannot make the line slow, because the system's buffers may take the whole body at once.
    const makeSlow = (message: unknown): void => {
      assert.ok(typeof message === 'object' && message !== null && 'request' in message);
      const { request } = message;
      assert.ok(request instanceof http.ClientRequest);
      const write = request.write.bind(request);
      // NodeFetch passes a callback with every piece.
      const writeSlowly = (piece: Uint8Array, written: (error?: Error | null) => void): boolean =>
        write(piece, (error) => {
          spentMs += answerTimeoutMs * 0.75;
          clock.advance(answerTimeoutMs * 0.75);
          written(error);
        });
      Object.assign(request, { write: writeSlowly });
    };
    subscribe('http.client.request.created', makeSlow);
    try {
      const sent = send();
      await server.read(bodyBytes);
      server.answer();
      assert.equal(await sent, 202);
    } finally {
      unsubscribe('http.client.request.created', makeSlow);
    }
    assert.ok(spentMs > 10 * answerTimeoutMs, String(spentMs));
  });

  it('fails if the server stops reading it, or does not answer after it', async () => {
    let hasFailed = false;
    const failed = assert.rejects(send(), /did not answer within 90 seconds/).then(() => {
      hasFailed = true;
    });
    await server.read(1024 * 1024);
    await eventually('the failure', () => {
      clock.advance(answerTimeoutMs);
      assert.ok(hasFailed);
    });
    await failed;
  });
});
