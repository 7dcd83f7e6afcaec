import * as assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ServerHarness } from '../unit/amplifier/server/support/serverHarness';

const mebibyte = 1024 * 1024;

/** Bytes in use, on the heap and beside it, after everything that can be collected was. */
async function memoryInUse(): Promise<number> {
  setFlagsFromString('--expose-gc');
  // What the first pass finishes, closed sockets above all, only a later one gives back.
  for (let pass = 0; pass < 3; pass++) {
    await delay(100);
    runInNewContext('gc()');
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('the embedded Amplifier server over a long day', () => {
  let harness: ServerHarness;
  beforeEach(async () => {
    harness = await ServerHarness.start({ limits: { maxKeptEvents: 5000 } });
  });
  afterEach(() => harness.stop());

  async function openRaw(id: string, reads: boolean): Promise<{ socket: Socket; received: () => string }> {
    const socket = connect(harness.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`GET /sessions/${id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    let tail = '';
    if (reads) socket.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString('latin1')).slice(-4096)));
    return { socket, received: () => tail };
  }

  it('keeps 500 events a second flowing for a minute past a reader that reads slowly', async () => {
    const { id, fake } = await harness.createSession();
    const reader = await harness.subscribe(id);
    const slow = await openRaw(id, false);
    // Takes 64 KiB twice a second: a fraction of what is sent.
    const sips = setInterval(() => void slow.socket.read(64 * 1024), 500);
    const delta = 'x'.repeat(2000);
    const before = await memoryInUse();
    for (let sent = 0; sent < 30_000; sent += 5) {
      for (let n = 0; n < 5; n++) fake.emit('content_block:delta', { block_index: 0, delta });
      await delay(10);
      reader.text = '';
      reader.events.length = 0;
    }
    const growth = (await memoryInUse()) - before;
    clearInterval(sips);
    fake.emit('prompt:complete', { response: '' });
    await reader.next('prompt:complete');
    // The backend's log holds the 60 MB that were told; the server its last 5,000 events.
    assert.ok(growth < 160 * mebibyte, `${Math.round(growth / mebibyte)} MiB more`);
    const found = new Set<string>();
    let tail = '';
    slow.socket.on('data', (chunk: Buffer) => {
      tail += chunk.toString('latin1');
      for (const [name] of tail.matchAll(/(?<="event":")(notice|prompt:complete)(?=")/gu)) found.add(name);
      tail = tail.slice(-64);
    });
    while (!found.has('prompt:complete')) await delay(10);
    assert.ok(found.has('notice'));
    slow.socket.destroy();
  });

  it('gives back the memory of sessions and of 50 subscribers, 10 of which never read', async () => {
    const round = async (): Promise<void> => {
      const { id, fake } = await harness.createSession();
      const silent = await Promise.all(Array.from({ length: 10 }, () => openRaw(id, false)));
      const readers = await Promise.all(Array.from({ length: 40 }, () => openRaw(id, true)));
      for (let n = 0; n < 2000; n++) {
        fake.emit('content_block:delta', { block_index: 0, delta: 'x'.repeat(500) });
        if (n % 100 === 0) await delay(1);
      }
      fake.emit('prompt:complete', { response: '' });
      while (!readers.every(({ received }) => received().includes('prompt:complete'))) await delay(5);
      await harness.call('DELETE', `/sessions/${id}`);
      for (const { socket } of [...silent, ...readers]) socket.destroy();
      harness.backend.sessions.length = 0;
    };
    await round();
    const before = await memoryInUse();
    for (let n = 0; n < 60; n++) await round();
    const growth = (await memoryInUse()) - before;
    assert.ok(growth < 32 * mebibyte, `${Math.round(growth / mebibyte)} MiB more after 60 rounds of 2 MiB`);
  });

  it('answers 10,000 prompts of a session, all but the first that it is busy', async () => {
    const { id, fake } = await harness.createSession();
    const agent = new Agent({ keepAlive: true });
    const statuses = new Map<number, number>();
    const post = async (): Promise<void> => {
      for (let n = 0; n < 400; n++) {
        const { status } = await harness.call('POST', `/sessions/${id}/prompt`, { agent, body: { prompt: `p${n}` } });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 25 }, post));
    agent.destroy();
    assert.deepEqual(Object.fromEntries(statuses), { 202: 1, 409: 9999 });
    assert.equal(fake.prompts.length, 1);
  });
});
