import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { BackendSession } from '../../src/session/common/sessionBackend';
import { RealDialectServer } from '../fake/amplifier/realDialectServer';
import { connectTo } from '../unit/amplifier/node/clientHarness';

const mebibyte = 1024 * 1024;
const eventsPerSecond = 500;
const seconds = 60;

/** Bytes in use, on the heap and beside it, after everything that can be collected was. */
async function memoryInUse(): Promise<number> {
  setFlagsFromString('--expose-gc');
  for (let pass = 0; pass < 3; pass++) {
    await delay(100);
    runInNewContext('gc()');
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Reads until the turn's end; as slowly as `pause` lets it. Resolves with what it got. */
async function read(session: BackendSession, pause: () => Promise<unknown>): Promise<{ events: number; gaps: number }> {
  let events = 0;
  let expected = 1;
  let gaps = 0;
  for await (const { sequence, event } of session.events()) {
    events++;
    gaps += sequence - expected;
    expected = sequence + 1;
    if (event.event === 'prompt:complete') break;
    await pause();
  }
  return { events, gaps };
}

describe('the Amplifier client over a long turn', () => {
  it(`takes ${eventsPerSecond} events a second for a minute beside a reader that reads slowly, and gives the memory back`, async () => {
    const server = new RealDialectServer({
      script: async (turn) => {
        const startedAt = performance.now();
        for (let sent = 0; sent < eventsPerSecond * seconds; sent++) {
          // Tools lie between the deltas, so that none are told as one.
          if (sent % 2 === 0) turn.delta('x'.repeat(2000));
          else turn.thinking('y'.repeat(1000));
          const dueMs = (sent / eventsPerSecond) * 1000 - (performance.now() - startedAt);
          if (dueMs > 2) await delay(dueMs);
        }
        turn.complete('');
      },
    });
    await server.start();
    const before = await memoryInUse();
    const { backend, log } = connectTo(server.url, { limits: { silenceMs: 30_000 } });
    let isOver = false;
    const session = await backend.createSession({ cwd: '/ws' });
    const quick = read(session, () => Promise.resolve());
    // Fifty events a second, until there is no more to come.
    const slow = read(session, () => (isOver ? Promise.resolve() : delay(20)));
    await session.sendPrompt({ text: 'go' });
    const { events, gaps } = await quick;
    isOver = true;
    const growth = (await memoryInUse()) - before;
    assert.equal(gaps, 0, 'a reader that keeps up misses nothing');
    assert.ok(events > eventsPerSecond * seconds, `${events} events`);
    const behind = await slow;
    assert.ok(behind.gaps > 0, 'a reader that is slow goes on with what is kept');
    assert.equal(session.turn, 'none');
    assert.ok(growth < 160 * mebibyte, `${Math.round(growth / mebibyte)} MiB more`);
    await session.close();
    backend.dispose();
    await server.stop();
    log.lines.length = 0;
  });

  it('gives the memory of its sessions back', async () => {
    const server = new RealDialectServer({
      script: (turn) => {
        for (let n = 0; n < 500; n++) turn.delta('x'.repeat(4000));
        turn.complete('');
        return Promise.resolve();
      },
    });
    await server.start();
    const { backend, log } = connectTo(server.url);
    const round = async (): Promise<void> => {
      const session = await backend.createSession({ cwd: '/ws' });
      const reading = read(session, () => Promise.resolve());
      await session.sendPrompt({ text: 'go' });
      await reading;
      await session.close();
      server.requests.length = 0;
      log.lines.length = 0;
    };
    await round();
    const before = await memoryInUse();
    for (let n = 0; n < 60; n++) await round();
    const growth = (await memoryInUse()) - before;
    backend.dispose();
    await server.stop();
    assert.ok(growth < 24 * mebibyte, `${Math.round(growth / mebibyte)} MiB more after 60 rounds of 2 MiB`);
  });
});
