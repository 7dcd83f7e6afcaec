import * as assert from 'node:assert/strict';
import { once } from 'node:events';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { AmpHarness, upgradeRequest } from './support/ampHarness';

describe('connecting to the Amp server', () => {
  let harness: AmpHarness;

  beforeEach(async () => {
    harness = await AmpHarness.start();
  });

  afterEach(() => harness.close());

  /** The status of what comes back; resolves when the server has closed the connection, unless it was upgraded. */
  const statusOf = async (request: string): Promise<number> => {
    const socket = await harness.dial();
    let received = '';
    const closed = once(socket, 'close');
    const upgraded = new Promise<void>((resolve) => {
      socket.on('data', (data) => {
        received += data.toString();
        if (received.startsWith('HTTP/1.1 101')) resolve();
      });
    });
    socket.write(request);
    await Promise.race([closed, upgraded]);
    socket.destroy();
    assert.doesNotMatch(received, new RegExp(harness.token));
    return Number(received.split(' ')[1]);
  };
  const target = (): string => `/?auth=${harness.token}`;

  for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST:8000', '127.0.0.1:65535']) {
    it(`takes the token when the Host is ${host}`, async () => {
      assert.equal(await statusOf(upgradeRequest(target(), { Host: host })), 101);
    });
  }

  for (const host of ['example.com', 'localhost.example.com', '127.0.0.1.nip.io', '0.0.0.0', '192.168.1.2:8000', '']) {
    it(`forbids the Host ${JSON.stringify(host)}`, async () => {
      assert.equal(await statusOf(upgradeRequest(target(), { Host: host })), 403);
    });
  }

  it('forbids every web page', async () => {
    for (const origin of ['https://example.com', 'http://localhost:3000', 'null', 'vscode-webview://x']) {
      assert.equal(await statusOf(upgradeRequest(target(), { Origin: origin })), 403);
    }
  });

  it('refuses every token but its own, given once', async () => {
    const { token } = harness;
    const targets = [
      '/',
      '/?',
      '/?auth=',
      '/?auth=short',
      `/?auth=${token.slice(0, -1)}`,
      `/?auth=${token}0`,
      `/?auth=${'a'.repeat(64)}`,
      `/?auth=${'a'.repeat(8000)}`,
      `/?auth=${token}&auth=${token}`,
      `/?auth=wrong&auth=${token}`,
      `/?Auth=${token}`,
      `/?token=${token}`,
      `/?auth=%FF%00${token}`,
      `/#?auth=${token}`,
    ];
    const statuses = await Promise.all(targets.map((wrong) => statusOf(upgradeRequest(wrong))));
    assert.deepEqual(
      statuses,
      targets.map((wrong) => (wrong.startsWith('/#') ? 404 : 401)),
    );
  });

  it('takes the token beside other parameters, and percent-encoded', async () => {
    assert.equal(await statusOf(upgradeRequest(`/?client=amp&auth=${harness.token}`)), 101);
    const encoded = Buffer.from(harness.token).toString('hex').replace(/../gu, '%$&');
    assert.equal(await statusOf(upgradeRequest(`/?auth=${encoded}`)), 101);
  });

  it('rejects other paths', async () => {
    for (const path of ['/other', '//', '/..', `http://localhost/`]) {
      assert.equal(await statusOf(upgradeRequest(`${path}?auth=${harness.token}`)), 404);
    }
  });

  it('asks for an upgrade when it is spoken to in plain HTTP', async () => {
    assert.equal(await statusOf(`GET ${target()} HTTP/1.1\r\nHost: localhost\r\n\r\n`), 426);
    assert.equal(await statusOf('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n'), 426);
  });

  it('answers malformed requests with 400', async () => {
    assert.equal(await statusOf('hello\r\n\r\n'), 400);
    assert.equal(await statusOf(upgradeRequest(target()).replace('Host: localhost\r\n', '')), 400);
    assert.equal(await statusOf(upgradeRequest(target()).replace('\r\n', '\r\nHost: localhost\r\n')), 400);
    assert.equal(await statusOf(upgradeRequest(target(), { 'Sec-WebSocket-Key': 'x' })), 400);
    assert.equal(await statusOf(upgradeRequest(target(), { 'Sec-WebSocket-Version': '1' })), 400);
    assert.equal(await statusOf(upgradeRequest(target(), { 'X-Long': 'x'.repeat(20_000) })), 431);
  });

  it('agrees on no compression and no subprotocol', async () => {
    const client = await harness.connect();
    assert.equal(client.socket.extensions, '');
    assert.equal(client.socket.protocol, '');
  });

  it('survives a storm of guesses, and serves its clients meanwhile', async () => {
    const client = await harness.connect();
    const guesses = Array.from({ length: 200 }, (_, i) => statusOf(upgradeRequest(`/?auth=${'0'.repeat(60)}${i}`)));
    assert.deepEqual((await client.ask('ping', { message: 'still there?' }))['ping'], { message: 'still there?' });
    assert.deepEqual(new Set(await Promise.all(guesses)), new Set([401]));
    assert.equal(harness.server.clients.length, 1);
  });

  it('survives connections that are reset in the middle of asking', async () => {
    for (let i = 1; i < 40; i++) {
      const socket = await harness.dial();
      socket.write(upgradeRequest(i % 2 ? target() : '/?auth=wrong').slice(0, i * 10));
      socket.resetAndDestroy();
    }
    assert.ok(await harness.connect());
  });
});

describe('too many connections to the Amp server', () => {
  let harness: AmpHarness | undefined;
  afterEach(() => harness?.close());

  it('are refused once the clients are as many as may be, until one of them leaves', async () => {
    harness = await AmpHarness.start(new FakeEditor(), { limits: { maxClients: 2 } });
    const [first, second] = [await harness.connect(), await harness.connect()];
    const refused = await harness.dial();
    refused.write(upgradeRequest(`/?auth=${harness.token}`));
    const [answer] = (await once(refused, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 503 .*Too many clients/su);
    assert.ok((await second.ask('ping', { message: 'x' }))['ping']);
    const { server } = harness;
    const left = new Promise<void>((resolve) => server.onDidChangeStatus(() => resolve()));
    first.terminate();
    await left;
    const next = await harness.connect();
    assert.ok((await next.ask('ping', { message: 'x' }))['ping']);
  });

  it('end the oldest of those that have not asked for an upgrade yet, so that a new client gets in', async () => {
    harness = await AmpHarness.start(new FakeEditor(), { limits: { maxHandshakes: 3 } });
    const silent = [await harness.dial(), await harness.dial(), await harness.dial()];
    const ended = once((silent[0] ?? assert.fail()).resume(), 'close');
    const client = await harness.connect();
    await ended;
    assert.ok((await client.ask('ping', { message: 'x' }))['ping']);
    assert.deepEqual(
      silent.map(({ closed }) => closed),
      [true, false, false],
    );
  });
});

describe('a connection that never asks to be upgraded', () => {
  it('is closed when its time is over, and others are not', async () => {
    const clock = new FakeClock();
    const harness = await AmpHarness.start(new FakeEditor(), { clock, limits: { handshakeTimeoutMs: 5000 } });
    const client = await harness.connect();
    const silent = await harness.dial();
    const slow = await harness.dial();
    slow.write('GET / HTTP/1.1\r\nHost: local');
    // The server has accepted the sockets once a later one is served.
    await harness.connect();
    const closed = [silent, slow].map((socket) => once(socket.resume(), 'close'));
    clock.advance(5000);
    await Promise.all(closed);
    assert.ok((await client.ask('ping', { message: 'x' }))['ping']);
    await closeBoth(harness, clock);
  });
});

/** Stopping waits on the clock for clients that do not close; these do. */
async function closeBoth(harness: AmpHarness, clock: FakeClock): Promise<void> {
  await harness.close();
  assert.equal(clock.pending, 0);
}
