import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { FakeSession } from './support/fakeBackend';
import { ServerHarness } from './support/serverHarness';
import { WebSocketClient } from './support/webSocketClient';

const mebibyte = 1024 * 1024;

/** A text frame of a client, with a mask that changes nothing. */
function frameOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.from([0x81, 0x80 | 126, bytes.length >> 8, bytes.length & 0xff, 0, 0, 0, 0]);
  return Buffer.concat([head, bytes]);
}

describe('WebSockets of the embedded server whose clients send without end', () => {
  let harness: ServerHarness;
  let id: string;
  let fake: FakeSession;
  let client: WebSocketClient | undefined;
  let socket: Socket | undefined;

  async function start(options: Parameters<typeof ServerHarness.start>[0] = {}): Promise<void> {
    harness = await ServerHarness.start(options);
    ({ id, fake } = await harness.createSession());
  }
  afterEach(async () => {
    client?.close();
    socket?.destroy();
    await harness.stop();
  });

  async function open(): Promise<WebSocketClient> {
    client = new WebSocketClient(`${harness.url}/sessions/${id}/ws`);
    await client.next(/session:start/u);
    return client;
  }

  /** One that does as it likes. */
  async function openRaw(): Promise<Socket> {
    socket = await harness.dial();
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    socket.write(`GET /sessions/${id}/ws HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n${key}\r\n\r\n`);
    await once(socket, 'data');
    return socket;
  }

  it('read no more than they answer, and answer all once their client reads', async () => {
    await start();
    const raw = await openRaw();
    raw.pause();
    // The answer repeats the name of the approval, and so is as long as the message.
    const message = { action: 'submit_approval', decision: 'Deny', approval_id: 'x'.repeat(60_000) };
    const frame = frameOf(JSON.stringify(message));
    let sent = 0;
    const isTaken = (): Promise<boolean> =>
      once(raw, 'drain', { signal: AbortSignal.timeout(1500) }).then(
        () => true,
        () => false,
      );
    for (let hasRoom = true; hasRoom;) {
      assert.ok(sent * frame.length < 64 * mebibyte, 'the server takes whatever comes');
      sent++;
      hasRoom = raw.write(frame) || (await isTaken());
    }
    assert.equal((await harness.call('GET', '/health')).status, 200);
    let answered = 0;
    let tail = '';
    raw.setEncoding('latin1').on('data', (chunk: string) => {
      const text = tail + chunk;
      answered += text.split('"code":"APPROVAL_INVALID"').length - 1;
      tail = text.slice(-('"code":"APPROVAL_INVALID"'.length - 1));
    });
    raw.resume();
    while (answered < sent) await once(raw, 'data');
    assert.equal(answered, sent);
  });

  it('work on a few messages at once, in the order in which they came', async () => {
    await start({ limits: { maxConcurrentMessages: 2 } });
    const gate = Promise.withResolvers<undefined>();
    fake.beforeApprove = () => gate.promise.then(() => undefined);
    const { socket: channel } = await open();
    for (const question of ['a1', 'a2']) {
      fake.ask(question);
      await client?.next(new RegExp(`"approval_id":"${question}"`, 'u'));
      channel.send(`{"action":"submit_approval","decision":"Allow","approval_id":"${question}"}`);
    }
    channel.send('{"action":"submit_prompt","prompt":"later"}');
    // What comes by another connection, and goes through the same event loop, is long answered.
    for (let n = 0; n < 10; n++) assert.equal((await harness.call('GET', '/health')).status, 200);
    assert.deepEqual(fake.prompts, []);
    gate.resolve(undefined);
    await client?.next(/"event":"prompt:submit"/u);
    assert.deepEqual(fake.answers, ['Allow', 'Allow']);
  });

  it('stop a turn while something else hangs', async () => {
    await start();
    fake.beforeApprove = () => new Promise(() => undefined);
    const { socket: channel } = await open();
    channel.send('{"action":"submit_prompt","prompt":"go"}');
    await client?.next(/"event":"prompt:submit"/u);
    fake.ask('a1');
    await client?.next(/"approval_id":"a1"/u);
    channel.send('{"action":"submit_approval","decision":"Allow"}');
    channel.send('{"action":"stop"}');
    await client?.next(/"event":"prompt:complete".*"cancelled"/u);
    assert.deepEqual(fake.answers, []);
  });

  it('are closed after so many messages in a row that are none', async () => {
    await start({ limits: { maxInvalidMessages: 3 } });
    const { socket: channel } = await open();
    const closed = once(channel, 'close');
    for (const text of [
      '{',
      '{}',
      '{"action":"stop"}',
      '{',
      '{}',
      '{"action":"submit_approval","decision":"Allow"}',
      '',
    ]) {
      channel.send(text);
    }
    await client?.next(/APPROVAL_INVALID/u);
    assert.equal(channel.readyState, channel.OPEN);
    for (const text of ['{', '{"action":"dance"}', '{', '{']) channel.send(text);
    assert.equal((await closed)[0], 1008);
    assert.equal(client?.texts.filter((text) => text.includes('INVALID_REQUEST')).length, 7);
  });

  it('are cut off when the other end does not close, too', async () => {
    await start({ limits: { maxInvalidMessages: 1, webSocketCloseMs: 50 } });
    const raw = await openRaw();
    const closed = once(raw, 'close');
    raw.write(frameOf('{}'));
    raw.resume();
    await closed;
  });
});
