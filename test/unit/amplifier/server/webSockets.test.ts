import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ClientOptions } from 'ws';
import { FakeClock } from '../../../fake/fakeClock';
import type { FakeSession } from './support/fakeBackend';
import { Failure, ServerHarness } from './support/serverHarness';
import { refusedUpgrade, WebSocketClient } from './support/webSocketClient';

describe('WebSockets of the embedded server', () => {
  let harness: ServerHarness;
  let id: string;
  let fake: FakeSession;
  const clients: WebSocketClient[] = [];

  async function start(options: Parameters<typeof ServerHarness.start>[0] = {}): Promise<void> {
    harness = await ServerHarness.start(options);
    ({ id, fake } = await harness.createSession());
  }
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await harness.stop();
  });

  function open(query = '', options: ClientOptions = {}): WebSocketClient {
    const client = new WebSocketClient(`${harness.url}/sessions/${id}/ws${query}`, options);
    clients.push(client);
    return client;
  }

  const say = (text: string): void => fake.emit('content_block:delta', { block_index: 0, delta: text });
  const deltas = (client: WebSocketClient) =>
    client.messages.flatMap(({ event, data, id: number }) =>
      event === 'content_block:delta' ? [`${number} ${String(data?.['delta'])}`] : [],
    );

  it('tell the same events, and take prompts, decisions and stops', async () => {
    await start();
    const client = open();
    await client.next(/^\{"event":"session:start","data":\{"session_id":/u);
    client.socket.send('{"action": "submit_prompt", "prompt": "Hello"}');
    await client.next(/"event":"prompt:submit"/u);
    assert.deepEqual(fake.prompts, [{ text: 'Hello' }]);
    fake.ask('a1');
    await client.next(/"event":"approval:required"/u);
    client.socket.send('{"action": "submit_approval", "decision": "Allow"}');
    await client.next(/"event":"approval:granted"/u);
    client.socket.send('{"action": "stop"}');
    await client.next(/"event":"prompt:complete".*"cancelled"/u);
    assert.equal(fake.cancels, 1);
  });

  it('number their messages as the event stream does', async () => {
    await start();
    const client = open();
    const stream = await harness.subscribe(id);
    for (const text of 'abc') say(text);
    await stream.next('content_block:delta', 3);
    await client.next(/"delta":"c"/u);
    assert.deepEqual(
      client.messages,
      stream.events.map(({ event, data, id: number }) => ({ event, data, id: number })),
    );
    assert.deepEqual(
      client.messages.map((message) => message.id),
      [1, 2, 3, 4, 5],
    );
  });

  it('go on after the last event that was seen, told in a header or in the query', async () => {
    await start();
    for (const text of 'abc') say(text);
    await (await harness.subscribe(id)).next('content_block:delta', 3);
    for (const [query, headers] of [
      ['', { 'Last-Event-ID': '4' }],
      ['?last_event_id=4', {}],
      // Who comes back to the URL of the first time knows it better by the header.
      ['?last_event_id=1', { 'Last-Event-ID': '4' }],
    ] as const) {
      const client = open(query, { headers });
      await client.next(/"delta":"c"/u);
      assert.deepEqual(client.messages.length, 1);
      assert.deepEqual(deltas(client), ['5 c']);
    }
    const stranger = open('?last_event_id=abc');
    await stranger.next(/"delta":"c"/u);
    assert.deepEqual(deltas(stranger), ['3 a', '4 b', '5 c']);
  });

  it('give no number to what is no event of the session', async () => {
    await start({ limits: { maxKeptEvents: 2 } });
    for (const text of 'abcd') say(text);
    const stream = await harness.subscribe(id);
    await stream.until(() => stream.text.includes('"delta":"d"'), 'the last');
    const client = open();
    await client.next(/"delta":"d"/u);
    const [notice, ...events] = client.messages;
    assert.deepEqual([notice?.event, notice?.id], ['notice', undefined]);
    assert.deepEqual(
      events.map((event) => event.id),
      [5, 6],
    );
  });

  it('take a decision for the question that it names, else for the oldest', async () => {
    await start();
    const client = open();
    await client.next(/session:start/u);
    for (const question of ['a1', 'a2', 'a3']) fake.ask(question);
    await client.next(/"approval_id":"a3"/u);
    client.socket.send('{"action": "submit_approval", "decision": "Deny", "approval_id": "a2"}');
    await client.next(/"event":"approval:denied".*"approval_id":"a2"/u);
    client.socket.send('{"action": "submit_approval", "decision": "Allow"}');
    await client.next(/"event":"approval:granted".*"approval_id":"a1"/u);
  });

  it('answer what they do not take in the format of errors', async () => {
    await start();
    const client = open();
    await client.next(/session:start/u);
    for (const [message, answer] of [
      ['{', /^\{"error":\{"code":"INVALID_REQUEST","message":"body: Send JSON\."/u],
      ['{"action":"dance"}', /"code":"INVALID_REQUEST","message":"action: /u],
      [
        '{"action":"submit_prompt","prompt":" "}',
        /"code":"INVALID_REQUEST","message":"prompt: The prompt must not be empty/u,
      ],
      ['{"action":"submit_approval","decision":"Allow"}', /"code":"APPROVAL_INVALID"/u],
    ] as const) {
      client.socket.send(message);
      await client.next(answer);
    }
    fake.turn = 'own';
    client.socket.send('{"action":"submit_prompt","prompt":"two"}');
    await client.next(/"code":"SESSION_BUSY"/u);
    assert.deepEqual(fake.prompts, []);
  });

  it('are refused as everything else is, in the same words', async () => {
    harness = await ServerHarness.start({ token: 'secret-token' });
    const { url } = harness;
    const Authorization = 'Bearer secret-token';
    const refusal = async (path: string, headers = {}): Promise<unknown[]> => {
      const { status, type, json } = await refusedUpgrade(`${url}${path}`, headers);
      assert.equal(type, 'application/json');
      return [status, Failure.parse(json).error.code];
    };
    assert.deepEqual(await refusal('/sessions/x/ws'), [401, 'UNAUTHORIZED']);
    const Origin = 'https://example.com';
    assert.deepEqual(await refusal('/sessions/x/ws', { Authorization, Origin }), [403, 'FORBIDDEN']);
    assert.deepEqual(await refusal('/sessions/x/ws?token=secret-token'), [404, 'SESSION_NOT_FOUND']);
    assert.deepEqual(await refusal('/health', { Authorization }), [400, 'INVALID_REQUEST']);
    const { json } = await refusedUpgrade(`${url}/sessions/x/ws`, { Authorization });
    assert.deepEqual(json, (await harness.call('GET', '/sessions/x', { headers: { Authorization } })).json);
    const plain = await harness.call('GET', '/sessions/x/ws', { headers: { Authorization } });
    assert.equal(plain.status, 426);
  });

  it('report what is wrong with a handshake in the format of errors', async () => {
    await start();
    const socket = await harness.dial();
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
    socket.write(`GET /sessions/${id}/ws HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket.setEncoding('utf8')) answer += String(chunk);
    assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_REQUEST","message":"[^"]*Sec-WebSocket-Key/u);
  });

  it('end with the session, by a close that says so', async () => {
    await start();
    const client = open();
    await client.next(/session:start/u);
    const closed = once(client.socket, 'close');
    await harness.call('DELETE', `/sessions/${id}`);
    assert.equal((await closed)[0], 1000);
    await client.next(/session:end/u);
  });

  it('do not keep the server from stopping when they do not close', async () => {
    await start();
    const socket = await harness.dial();
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'].join('\r\n');
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    socket.write(`GET /sessions/${id}/ws HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n${key}\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    await harness.server.stop();
    socket.destroy();
  });

  it('are cut off when they answer no pings', async () => {
    const clock = new FakeClock();
    await start({ clock });
    const deaf = open('', { autoPong: false });
    await deaf.next(/session:start/u);
    const pinged = once(deaf.socket, 'ping');
    clock.advance(15_000);
    await pinged;
    const closed = once(deaf.socket, 'close');
    clock.advance(15_000);
    assert.equal((await closed)[0], 1006);
  });
});
