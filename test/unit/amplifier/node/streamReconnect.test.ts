import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as http from 'node:http';
import type { AmplifierApiError } from '../../../../src/amplifier/common/api/apiErrors';
import { EventStream, type EventStreamLimits } from '../../../../src/amplifier/node/client/stream/eventStream';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';
import { OutgoingHttp } from '../../../../src/wire/node/outgoingHttp';

describe('the stream of events, by its clock', () => {
  let server: http.Server;
  let answer: (response: http.ServerResponse) => void;
  let clock: FakeClock;
  let stream: EventStream;
  let log: string[];
  let requests: http.IncomingMessage[];
  let isExpecting: boolean;

  beforeEach(async () => {
    clock = new FakeClock();
    log = [];
    requests = [];
    isExpecting = false;
    answer = (response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    server = http.createServer((request, response) => {
      requests.push(request);
      answer(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    stream.dispose();
    server.close();
    server.closeAllConnections();
  });

  function open(random = 1, limits: Partial<EventStreamLimits> = {}): void {
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    stream = new EventStream({
      eventsUrl: new URL(`http://127.0.0.1:${address.port}/events`),
      webSocketUrl: new URL(`ws://127.0.0.1:${address.port}/ws`),
      headers: {},
      redact: (text) => text,
      clock,
      http: new OutgoingHttp(),
      random: () => random,
      isExpectingEvents: () => isExpecting,
      ...limits,
      handlers: {
        onConnected: () => log.push('connected'),
        onStable: () => log.push('lasting'),
        onReconnecting: (attempt, delayMs) => log.push(`again ${attempt} in ${delayMs}`),
        onActivity: () => undefined,
        onMessage: ({ data }) => log.push(data),
        onOversize: () => log.push('oversize'),
        onFailed: (error: AmplifierApiError) => log.push(error.code),
      },
    });
    stream.start();
  }

  const said = (entry: string): Promise<void> => until(entry, () => log.includes(entry));

  it('waits ever longer between attempts, up to its longest', async () => {
    answer = (response) => response.socket?.destroy();
    open(1, { baseDelayMs: 100, maxDelayMs: 500 });
    for (const [attempt, delayMs] of [
      [1, 100],
      [2, 200],
      [3, 400],
      [4, 500],
      [5, 500],
    ] as const) {
      await said(`again ${attempt} in ${delayMs}`);
      clock.advance(delayMs - 1);
      assert.equal(log.length, attempt);
      clock.advance(1);
    }
  });

  it('jitters the wait down to half', async () => {
    answer = (response) => response.socket?.destroy();
    open(0, { baseDelayMs: 100 });
    await said('again 1 in 50');
  });

  it('takes the wait that the server asks for', async () => {
    answer = (response) => {
      response
        .writeHead(200, { 'Content-Type': 'text/event-stream' })
        .write('retry: 3000\ndata: x\n\n', () => response.socket?.destroy());
    };
    open();
    await said('again 1 in 3000');
  });

  it('waits ever longer for a stream that ends as soon as it has brought something', async () => {
    answer = (response) => {
      response
        .writeHead(200, { 'Content-Type': 'text/event-stream' })
        .write('data: x\n\n', () => response.socket?.destroy());
    };
    open(1, { baseDelayMs: 100 });
    for (const [attempt, delayMs] of [100, 200, 400, 800].entries()) {
      await said(`again ${attempt + 1} in ${delayMs}`);
      clock.advance(delayMs);
    }
    assert.ok(!log.includes('lasting'));
  });

  it('begins with the first wait again once a connection has outlived five seconds and the last wait', async () => {
    answer = (response) => response.socket?.destroy();
    open(1, { baseDelayMs: 8000 });
    await said('again 1 in 8000');
    answer = (response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: x\n\n');
    clock.advance(8000);
    await said('x');
    clock.advance(7999);
    assert.ok(!log.includes('lasting'));
    clock.advance(1);
    assert.ok(log.includes('lasting'));
    log.length = 0;
    server.closeAllConnections();
    await said('again 1 in 8000');
  });

  it('reports where to continue', async () => {
    answer = (response) => {
      response
        .writeHead(200, { 'Content-Type': 'text/event-stream' })
        .write('id: 7\ndata: x\n\n', () => response.socket?.destroy());
    };
    open(1);
    await said('again 1 in 500');
    clock.advance(500);
    await until('a second request', () => requests.length === 2);
    assert.deepEqual(
      requests.map(({ headers }) => headers['last-event-id']),
      [undefined, '7'],
    );
  });

  for (const [id, header] of [
    ['事件-1', Buffer.from('事件-1').toString('latin1')],
    ['\u{1F600}', Buffer.from('\u{1F600}').toString('latin1')],
    ['\u0001', undefined],
    ['x'.repeat(1025), undefined],
  ] as const) {
    it(`continues after an id that is ${JSON.stringify(id).slice(0, 20)}`, async () => {
      answer = (response) => {
        response
          .writeHead(200, { 'Content-Type': 'text/event-stream' })
          .write(`id: ${id}\ndata: x\n\n`, () => response.socket?.destroy());
      };
      open(1);
      await said('again 1 in 500');
      clock.advance(500);
      await until('a second request', () => requests.length === 2);
      assert.equal(requests[1]?.headers['last-event-id'], header);
    });
  }

  it('lets a silent stream be, as long as nothing is expected of it', async () => {
    open(1, { silenceMs: 900 });
    await said('connected');
    clock.advance(60_000);
    assert.deepEqual(log, ['connected', 'lasting']);
    isExpecting = true;
    clock.advance(1200);
    assert.deepEqual(log, ['connected', 'lasting', 'again 1 in 500']);
  });

  it('opens another when a stream that showed keep-alives falls silent', async () => {
    answer = (response) =>
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': here\n\ndata: x\n\n');
    open(1, { silenceMs: 900 });
    await said('x');
    clock.advance(1200);
    assert.ok(log.includes('again 1 in 500'));
  });

  it('is over when it is disposed: no attempt, no timer', async () => {
    answer = (response) => response.socket?.destroy();
    open();
    await said('again 1 in 500');
    stream.dispose();
    clock.advance(60_000);
    assert.equal(clock.pending, 0);
    assert.equal(requests.length, 1);
  });

  it('tries the WebSocket when SSE is refused, and reports the refusal when there is none', async () => {
    answer = (response) => response.writeHead(406).end();
    open();
    await until('an end', () => log.length > 0);
    assert.deepEqual(log, ['HTTP_406']);
  });

  it('asks for SSE again when the WebSocket did not even answer, and reports no refusal that is past', async () => {
    let isRefused = true;
    answer = (response) => {
      if (response.req.url === '/ws') response.socket?.destroy();
      else if (isRefused) response.writeHead(406).end();
      else response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: x\n\n');
    };
    open();
    await said('again 1 in 500');
    isRefused = false;
    clock.advance(500);
    await said('x');
    assert.deepEqual(
      requests.map(({ url }) => url),
      ['/events', '/ws', '/events'],
    );
    assert.deepEqual(log, ['again 1 in 500', 'connected', 'x']);
  });

  it('does not try the WebSocket when the session is gone or may not be seen', async () => {
    for (const status of [401, 403, 410]) {
      log = [];
      requests = [];
      answer = (response) => response.writeHead(status).end();
      open();
      await until('an end', () => log.length > 0);
      assert.deepEqual([requests.length, log.length], [1, 1], String(status));
      stream.dispose();
    }
  });

  it('waits when a server is busy, and does not take that for a refusal', async () => {
    for (const status of [408, 429, 500, 503]) {
      log = [];
      requests = [];
      answer = (response) => response.writeHead(status).end();
      open();
      await said('again 1 in 500');
      assert.equal(requests.length, 1, String(status));
      stream.dispose();
    }
  });

  it('opens another when it is told to, once, and none when it is over', async () => {
    open();
    await said('connected');
    stream.reconnect();
    stream.reconnect();
    assert.deepEqual(log, ['connected', 'again 1 in 500']);
    assert.equal(clock.pending, 1);
    stream.dispose();
    stream.reconnect();
    assert.equal(clock.pending, 0);
  });
});
