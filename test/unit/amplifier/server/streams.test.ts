import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { FakeClock } from '../../../fake/fakeClock';
import type { FakeSession } from './support/fakeBackend';
import { ServerHarness, type SseClient } from './support/serverHarness';

const delta = (text: string): [string, Record<string, unknown>] => [
  'content_block:delta',
  { block_index: 0, delta: text },
];

describe('event streams of the embedded server', () => {
  let harness: ServerHarness;
  let id: string;
  let fake: FakeSession;

  async function start(options: Parameters<typeof ServerHarness.start>[0] = {}): Promise<void> {
    harness = await ServerHarness.start(options);
    ({ id, fake } = await harness.createSession());
  }
  afterEach(() => harness.stop());

  const deltas = (stream: SseClient): unknown[] =>
    stream.events.filter(({ event }) => event === 'content_block:delta').map(({ data }) => data['delta']);

  it('tell everything to every subscriber, also to one that comes late', async () => {
    await start();
    const early = await harness.subscribe(id);
    fake.emit(...delta('a'));
    await early.next('content_block:delta');
    const late = await harness.subscribe(id);
    fake.emit(...delta('b'));
    for (const stream of [early, late]) {
      await stream.next('content_block:delta', 2);
      assert.deepEqual(deltas(stream), ['a', 'b']);
    }
    assert.deepEqual(early.text, late.text);
  });

  it('number events from 1 and continue after the last one that was seen', async () => {
    await start();
    const first = await harness.subscribe(id);
    for (const text of 'abc') fake.emit(...delta(text));
    await first.next('content_block:delta', 3);
    assert.deepEqual(
      first.events.map((event) => event.id),
      [1, 2, 3, 4, 5],
    );
    first.close();
    fake.emit(...delta('d'));
    const second = await harness.subscribe(id, { 'Last-Event-ID': '4' });
    await second.next('content_block:delta', 2);
    assert.deepEqual(deltas(second), ['c', 'd']);
    assert.deepEqual(
      second.events.map((event) => event.id),
      [5, 6],
    );
  });

  it('take an id from elsewhere for none, or for the newest', async () => {
    await start();
    fake.emit(...delta('a'));
    const nonsense = await harness.subscribe(id, { 'Last-Event-ID': 'abc' });
    await nonsense.next('content_block:delta');
    const future = await harness.subscribe(id, { 'Last-Event-ID': '999' });
    fake.emit(...delta('b'));
    await future.next('content_block:delta');
    assert.deepEqual(deltas(future), ['b']);
  });

  it('report how much is missing when it is no longer kept', async () => {
    await start({ limits: { maxKeptEvents: 10 } });
    const watcher = await harness.subscribe(id);
    for (let n = 0; n < 50; n++) fake.emit(...delta(String(n)));
    await watcher.until(() => deltas(watcher).at(-1) === '49', 'the last delta');
    const late = await harness.subscribe(id, { 'Last-Event-ID': '22' });
    await late.until(() => deltas(late).length >= 10, '10 deltas');
    assert.deepEqual(deltas(late), ['40', '41', '42', '43', '44', '45', '46', '47', '48', '49']);
    assert.equal(late.events[0]?.event, 'notice');
    assert.equal(late.events[0].id, undefined);
    assert.match(String(late.events[0].data['message']), /^20 events/u);
  });

  it('carry any text unharmed', async () => {
    await start();
    const stream = await harness.subscribe(id);
    const text = 'line\r\nline\u2028\u2029 äöü 漢字 😀 \ud800 \u0000 data: x\n\nid: 9\n';
    fake.emit(...delta(text));
    const { data, id: sequence } = await stream.next('content_block:delta');
    assert.equal(data['delta'], text);
    assert.equal(sequence, 3);
  });

  it('carry an event of many megabytes', async () => {
    await start();
    const stream = await harness.subscribe(id);
    fake.emit(...delta('x'.repeat(20 * 1024 * 1024)));
    fake.emit(...delta('after'));
    await stream.next('content_block:delta', 2);
    assert.equal(String(deltas(stream)[0]).length, 20 * 1024 * 1024);
  });

  it('show that they live, by comments', async () => {
    const clock = new FakeClock();
    await start({ clock });
    const stream = await harness.subscribe(id);
    await stream.next('session:start');
    for (let beats = 1; beats <= 2; beats++) {
      clock.advance(15_000);
      await stream.until(() => stream.text.split(': keep-alive\n\n').length === beats + 1, `${beats} comments`);
    }
    assert.equal(stream.events.length, 1);
  });

  it('leave no timer behind when the last subscriber has gone', async () => {
    const clock = new FakeClock();
    await start({ clock });
    const stream = await harness.subscribe(id);
    await stream.next('session:start');
    assert.equal(clock.pending, 1);
    stream.close();
    const pending = (): number => clock.pending;
    while (pending() > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it('have room for so many subscribers of a session', async () => {
    await start({ limits: { maxSubscribers: 2 } });
    await harness.subscribe(id);
    const second = await harness.subscribe(id);
    await second.next('session:start');
    assert.equal((await harness.call('GET', `/sessions/${id}/events`)).status, 429);
    second.close();
    await second.end();
    const deadline = AbortSignal.timeout(45_000);
    let third = await harness.subscribe(id);
    while (third.response.statusCode === 429 && !deadline.aborted) third = await harness.subscribe(id);
    assert.equal(third.response.statusCode, 200);
  });

  describe('with readers that do not read', () => {
    const silent: Socket[] = [];
    afterEach(() => {
      for (const socket of silent.splice(0)) socket.destroy();
    });

    async function neverRead(): Promise<Socket> {
      const socket = await harness.dial();
      socket.pause();
      socket.write(`GET /sessions/${id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      silent.push(socket);
      return socket;
    }

    /** One that reads all and keeps nothing, as 40 that keep all would be what the machine is busy with. */
    async function read(until: string): Promise<{ readonly done: Promise<void> }> {
      const socket = await harness.dial();
      silent.push(socket);
      const done = new Promise<void>((resolve) => {
        let tail = '';
        socket.setEncoding('latin1').on('data', (chunk: string) => {
          const text = tail + chunk;
          if (text.includes(until)) resolve();
          tail = text.slice(-until.length);
        });
      });
      const begun = once(socket, 'data');
      socket.write(`GET /sessions/${id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      await begun;
      return { done };
    }

    it('make nobody else wait, and hold little for them', async () => {
      await start({ limits: { maxKeptEvents: 1000 } });
      for (let n = 0; n < 10; n++) await neverRead();
      const readers = await Promise.all(Array.from({ length: 40 }, () => read('"that is all"')));
      const text = 'x'.repeat(4096);
      const before = process.memoryUsage().arrayBuffers;
      for (let n = 0; n < 3000; n++) {
        fake.emit(...delta(text));
        if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      fake.emit('notice', { level: 'info', message: 'that is all' });
      await Promise.all(readers.map(({ done }) => done));
      // Each holds a batch and what its socket takes; 12 MB went by.
      assert.ok(process.memoryUsage().arrayBuffers - before < 100 * 1024 * 1024);
    });

    it('tell a slow reader what it missed once it reads again', async () => {
      await start({ limits: { maxKeptEvents: 100 } });
      const socket = await neverRead();
      const reader = await harness.subscribe(id);
      const text = 'x'.repeat(64 * 1024);
      for (let n = 0; n < 600; n++) {
        fake.emit(...delta(text));
        await new Promise((resolve) => setImmediate(resolve));
      }
      fake.emit('prompt:complete', { response: '' });
      await reader.next('prompt:complete');
      let received = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
      socket.resume();
      while (!received.includes('prompt:complete')) await once(socket, 'data');
      assert.match(received, /\n\ndata: \{"event":"notice".*"message":"\d+ events are missing/u);
    });

    it('cut off who takes nothing for minutes, also when the clock is set back meanwhile', async () => {
      const clock = new FakeClock();
      await start({ clock });
      const socket = await neverRead();
      const reader = await harness.subscribe(id);
      await reader.next('session:start');
      for (let n = 0; n < 200; n++) fake.emit(...delta('x'.repeat(64 * 1024)));
      await reader.next('content_block:delta', 200);
      const closed = once(socket, 'close');
      clock.setBack(3_600_000);
      clock.advance(3 * 60_000);
      socket.resume();
      await closed;
      assert.equal(reader.hasEnded, false);
    });
  });
});
