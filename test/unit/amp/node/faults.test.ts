import * as assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { AmpHarness } from './support/ampHarness';
import type { AmpTestClient, ServerResponse } from './support/ampTestClient';

const mebibyte = 1024 * 1024;

describe('the Amp server, mistreated', () => {
  let editor: FakeEditor;
  let harness: AmpHarness;
  let client: AmpTestClient;

  beforeEach(async () => {
    editor = new FakeEditor({ '/ws/a.ts': 'hello', '/ws/large.ts': 'x'.repeat(mebibyte) });
    harness = await AmpHarness.start(editor);
    client = await harness.connect();
  });

  afterEach(() => harness.close());

  const assertServed = async (who: AmpTestClient): Promise<void> => {
    const { readFile } = await who.ask('readFile', { path: 'a.ts' });
    assert.deepEqual(readFile, { success: true, content: 'hello', encoding: 'utf-8', isDirty: false });
  };
  const nextAnswer = async (send: () => void): Promise<ServerResponse> => {
    const known = client.responses.length;
    send();
    return await client.until(() => client.responses[known]);
  };

  it('answers invalid requests and continues', async () => {
    for (const [text, code] of [
      ['', -32_700],
      ['\0\0', -32_700],
      ['{', -32_700],
      ['[]', -32_600],
      ['{"clientRequest":{}}', -32_600],
      ['{"clientRequest":{"id":[],"ping":{}}}', -32_600],
      [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, -32_600],
    ] as const) {
      const { id, error } = await nextAnswer(() => client.sendText(text));
      assert.equal(id, null);
      assert.equal(error?.code, code, text.slice(0, 40));
    }
    await assertServed(client);
  });

  it('answers with a number what was asked with a number', async () => {
    const { id } = await nextAnswer(() => client.sendText('{"clientRequest":{"id":42,"ping":{"message":"x"}}}'));
    assert.equal(id, 42);
  });

  it('serves a request in a binary frame, and calls bytes that are not UTF-8 a parse error', async () => {
    const request = Buffer.from('{"clientRequest":{"id":"b","ping":{"message":"ü"}}}');
    const served = await nextAnswer(() => client.socket.send(request, { binary: true }));
    assert.deepEqual(served, { id: 'b', ping: { message: 'ü' } });
    const broken = Buffer.from('{"clientRequest":{"id":"b","ping":{"message":"?"}}}');
    broken[broken.indexOf('?')] = 0xff;
    const refused = await nextAnswer(() => client.socket.send(broken, { binary: true }));
    assert.equal(refused.id, null);
    assert.equal(refused.error?.code, -32_700);
    await assertServed(client);
  });

  it('closes a connection whose text is not UTF-8, and only that one', async () => {
    const bad = await harness.connect();
    bad.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    assert.equal((await bad.closed).code, 1007);
    await assertServed(client);
  });

  it('puts a request together that comes in fragments, cut within a character', async () => {
    const request = Buffer.from('{"clientRequest":{"id":"f","ping":{"message":"üüü"}}}');
    const served = await nextAnswer(() => {
      for (let i = 0; i < request.length; i++) {
        client.socket.send(request.subarray(i, i + 1), { binary: false, fin: i === request.length - 1 });
      }
    });
    assert.deepEqual(served, { id: 'f', ping: { message: 'üüü' } });
  });

  it('closes a connection with 1009 that sends a frame of 33 MiB, and only that one', async () => {
    const greedy = await harness.connect();
    greedy.socket.send(Buffer.alloc(33 * mebibyte, 0x20));
    assert.equal((await greedy.closed).code, 1009);
    await assertServed(client);
  });

  it('serves a frame just under the cap', async () => {
    const message = 'x'.repeat(31 * mebibyte);
    const { ping } = await client.ask('ping', { message });
    assert.ok((ping as { message: string }).message === message);
  });

  it('frames answers of every length so that clients can read them', async () => {
    const overhead = '{"serverResponse":{"id":"1","ping":{"message":""}}}'.length;
    for (const length of [overhead, 125, 126, 127, 65_535, 65_536, 65_537]) {
      const message = 'x'.repeat(length - overhead);
      const served = await nextAnswer(() =>
        client.sendText(`{"clientRequest":{"id":"1","ping":{"message":"${message}"}}}`),
      );
      assert.deepEqual(served, { id: '1', ping: { message } });
    }
  });

  it('answers every one of 10,000 requests sent at once, each with its own id', async () => {
    const count = 10_000;
    for (let i = 0; i < count; i++) client.sendText(`{"clientRequest":{"id":"r${i}","readFile":{"path":"a.ts"}}}`);
    await client.until(() => (client.responses.length === count ? true : undefined));
    assert.equal(new Set(client.responses.map(({ id }) => id)).size, count);
    assert.ok(client.responses.every(({ readFile }) => (readFile as { success: boolean }).success));
  });

  it('works on a bounded number of requests of one client at a time, and another client does not wait', async () => {
    let asked = 0;
    const releases: (() => void)[] = [];
    editor.beforeRequest = (path) => {
      if (path !== '/ws/slow.ts') return Promise.resolve();
      asked++;
      return new Promise((resolve) => releases.push(resolve));
    };
    const count = 1000;
    for (let i = 0; i < count; i++)
      client.sendText(`{"clientRequest":{"id":"${i}","readFile":{"path":"/ws/slow.ts"}}}`);
    await assertServed(await harness.connect());
    assert.equal(asked, 16);
    editor.beforeRequest = () => Promise.resolve();
    for (const release of releases) release();
    await client.until(() => (client.responses.length === count ? true : undefined));
  });

  it('does not read further from a client than it may hold, and reads on when it has answered', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    editor.beforeRequest = () => released;
    const count = 64;
    const message = 'x'.repeat(mebibyte);
    for (let i = 0; i < 16; i++) client.sendText(`{"clientRequest":{"id":"${i}","readFile":{"path":"a.ts"}}}`);
    for (let i = 16; i < count; i++) client.sendText(`{"clientRequest":{"id":"${i}","ping":{"message":"${message}"}}}`);
    const other = await harness.connect();
    for (let i = 0; i < 200; i++) await other.ask('ping', { message: String(i) });
    assert.ok(client.socket.bufferedAmount > 16 * mebibyte, `${client.socket.bufferedAmount} bytes were not taken`);
    release();
    await client.until(() => (client.responses.length === count ? true : undefined));
  });

  it('releases everything of 500 clients that disconnect', async () => {
    for (let round = 0; round < 50; round++) {
      const sockets = await Promise.all(Array.from({ length: 10 }, () => harness.connect()));
      for (const [i, { socket }] of sockets.entries()) {
        socket.send(`{"clientRequest":{"id":"1","readFile":{"path":"${i % 3 === 1 ? 'large' : 'a'}.ts"}}}`);
        if (i % 3 === 0) socket.close();
        else if (i % 3 === 1) socket.terminate();
        else socket.close(4000, 'bye');
      }
      await Promise.all(sockets.map(({ closed }) => closed));
    }
    await assertServed(client);
    while (harness.server.clients.length > 1) await new Promise(setImmediate);
  });

  it('is not disturbed by a client that vanishes while its request is worked on', async () => {
    const going = await harness.connect();
    const started = new Promise<() => void>((resolve) => {
      editor.beforeRequest = () => new Promise((release) => resolve(release));
    });
    going.sendText('{"clientRequest":{"id":"1","readFile":{"path":"a.ts"}}}');
    const release = await started;
    going.terminate();
    await going.closed;
    editor.beforeRequest = () => Promise.resolve();
    release();
    await assertServed(client);
  });

  it('does no further work for a client that does not read, and tells it the latest state when it does', async () => {
    const read: string[] = [];
    const editing = new Promise<void>((resolve) => {
      editor.beforeRequest = (path) => {
        read.push(path);
        if (read.length === 1) resolve();
        return Promise.resolve();
      };
    });
    client.socket.pause();
    const count = 200;
    for (let i = 0; i < count; i++) client.sendText(`{"clientRequest":{"id":"${i}","readFile":{"path":"large.ts"}}}`);
    await editing;
    const other = await harness.connect();
    // By the time that the other client was served often, the first one's answers have filled what they may.
    for (let i = 0; i < 50; i++) await other.ask('ping', { message: String(i) });
    assert.ok(read.length < 60, `${read.length} files of 1 MiB were read for a client that does not read`);
    for (let line = 0; line < 5; line++) {
      const position = { line, character: 0 };
      editor.select('/ws/a.ts', { start: position, end: position, text: '' });
      await other.until(() => (startLineOf(other) === line ? true : undefined));
    }
    assert.equal(harness.server.appendToPrompt('x'), 1);
    client.socket.resume();
    await client.until(() => (startLineOf(client) === 4 ? true : undefined));
    await client.until(() => (client.responses.length === count ? true : undefined));
    const selections = client.notifications.filter((notification) => 'selectionDidChange' in notification);
    assert.equal(selections.length, 1);
  });

  it('starts little of what came in one packet from a client that does not read', async () => {
    let read = 0;
    editor.beforeRequest = () => {
      read++;
      return Promise.resolve();
    };
    const deaf = await harness.dialWebSocket();
    const request = Buffer.from('{"clientRequest":{"id":"1","readFile":{"path":"large.ts"}}}');
    // A masked text frame; the mask is zero.
    const frame = Buffer.concat([Buffer.from([0x81, 0x80 | request.length, 0, 0, 0, 0]), request]);
    deaf.write(Buffer.concat(Array.from({ length: 200 }, () => frame)));
    for (let i = 0; i < 50; i++) await client.ask('ping', { message: String(i) });
    assert.ok(read > 0 && read < 60, `${read} files of 1 MiB were read for a client that does not read`);
  });

  it('makes one large answer at a time, for all clients together, while small ones continue', async () => {
    let [reading, most] = [0, 0];
    const readText = editor.readText.bind(editor);
    editor.readText = async (path, options) => {
      if (path === 'a.ts' || options?.maxBytes !== undefined) return await readText(path, options);
      most = Math.max(most, ++reading);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      reading--;
      return await readText(path, options);
    };
    const clients = [client, await harness.connect(), await harness.connect()];
    const large = clients.flatMap((who) => Array.from({ length: 8 }, () => who.ask('readFile', { path: 'large.ts' })));
    await Promise.all(clients.map(assertServed));
    for (const { readFile } of await Promise.all(large)) {
      assert.equal((readFile as { content: string }).content.length, mebibyte);
    }
    assert.equal(most, 1);
  });

  it('makes few large answers for a client that does not read, and keeps no other one waiting for it', async () => {
    let read = 0;
    editor.setFile('/ws/huge.ts', 'x'.repeat(30 * mebibyte));
    const readText = editor.readText.bind(editor);
    editor.readText = async (path, options) => {
      if (path === 'huge.ts' && options?.maxBytes === undefined) read++;
      return await readText(path, options);
    };
    const deaf = await harness.connect();
    deaf.socket.pause();
    for (let i = 0; i < 16; i++) deaf.sendText(`{"clientRequest":{"id":"${i}","readFile":{"path":"huge.ts"}}}`);
    for (let i = 0; i < 20; i++) await client.ask('readFile', { path: 'large.ts' });
    assert.equal(read, 1);
    const gone = deaf.closed;
    deaf.terminate();
    await gone;
    await assertServed(client);
  });

  it('makes no large answer while all clients together have too much left to read', async () => {
    const limited = await AmpHarness.start(editor, { limits: { maxTotalBufferedBytes: mebibyte } });
    editor.setFile('/ws/huge.ts', 'x'.repeat(20 * mebibyte));
    const [deaf, other] = [await limited.connect(), await limited.connect()];
    deaf.socket.pause();
    deaf.sendText('{"clientRequest":{"id":"1","readFile":{"path":"huge.ts"}}}');
    await other.ask('readFile', { path: 'a.ts' });
    let isAnswered = false;
    const waiting = other.ask('readFile', { path: 'large.ts' }).finally(() => (isAnswered = true));
    for (let i = 0; i < 20; i++) await other.ask('ping', { message: 'meanwhile' });
    assert.equal(isAnswered, false);
    deaf.terminate();
    const { readFile } = await waiting;
    assert.equal((readFile as { content: string }).content.length, mebibyte);
    await limited.close();
  });

  it('stops although clients neither read nor close', async () => {
    const silent = await harness.dialWebSocket();
    client.socket.pause();
    const closed = once(silent.resume(), 'close');
    silent.pause();
    await harness.server.stop();
    silent.resume();
    await closed;
    assert.deepEqual(harness.server.clients, []);
  });

  function startLineOf(who: AmpTestClient): number | undefined {
    const selection = who.newest('selectionDidChange') as
      { selections: { range: { startLine: number } }[] } | undefined;
    return selection?.selections[0]?.range.startLine;
  }
});

describe('the heartbeat of the Amp server', () => {
  let clock: FakeClock;
  let editor: FakeEditor;
  let harness: AmpHarness;

  beforeEach(async () => {
    clock = new FakeClock();
    editor = new FakeEditor({ '/ws/large.ts': 'x'.repeat(mebibyte) });
    harness = await AmpHarness.start(editor, { clock });
  });

  afterEach(async () => {
    await harness.close();
    assert.equal(clock.pending, 0);
  });

  /** A round of the heartbeat, and time for `client` to answer the ping. */
  const beat = async (client: AmpTestClient, ms = 30_000): Promise<void> => {
    const pinged = once(client.socket, 'ping');
    clock.advance(ms);
    await pinged;
    await client.ask('ping', { message: 'x' });
  };

  it('ends a half-open connection after a missed round, and keeps those that answer', async () => {
    const client = await harness.connect();
    const halfOpen = await harness.dialWebSocket();
    const closed = once(halfOpen, 'close');
    await beat(client);
    assert.equal(harness.server.clients.length, 2);
    await beat(client);
    halfOpen.resume();
    await closed;
    await beat(client);
    assert.equal(client.socket.readyState, WebSocket.OPEN);
    assert.equal(harness.server.clients.length, 1);
  });

  it('ends a connection that was not read for a minute although answers wait', async () => {
    const client = await harness.connect();
    const deaf = await harness.connect();
    clock.advance(15_000);
    deaf.socket.pause();
    for (let i = 0; i < 100; i++) deaf.sendText(`{"clientRequest":{"id":"${i}","readFile":{"path":"large.ts"}}}`);
    // One timer is the heartbeat's, the other one waits for the client to read.
    while (clock.pending < 2) await new Promise(setImmediate);
    await beat(client);
    await beat(client, 29_999);
    assert.equal(harness.server.clients.length, 2);
    clock.advance(1);
    deaf.socket.resume();
    assert.equal((await deaf.closed).code, 1006);
    assert.equal(harness.server.clients.length, 1);
  });
});
