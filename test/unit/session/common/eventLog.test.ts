import assert from 'node:assert/strict';
import { EventLog, type EventLogLimits } from '../../../../src/session/common/eventLog';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';

const event = (delta: string): SessionEvent => ({
  event: 'content_block:delta',
  data: { session_id: 's', block_index: 0, delta },
});

function logOf(deltas: readonly string[], limits?: EventLogLimits): EventLog {
  const log = new EventLog(() => Promise.resolve(), limits);
  for (const delta of deltas) log.append(event(delta));
  return log;
}

async function read(log: EventLog, options?: { afterSequence?: number; signal?: AbortSignal }): Promise<string[]> {
  const seen: string[] = [];
  for await (const { sequence, event: told } of log.read(options)) {
    seen.push(`${sequence}${told.event === 'content_block:delta' ? told.data.delta : ''}`);
  }
  return seen;
}

describe('the log of a session’s events', () => {
  it('numbers events from 1 and tells them to every reader', async () => {
    const log = logOf(['a', 'b']);
    const readers = [read(log), read(log)];
    log.append(event('c'));
    log.end();
    assert.deepEqual(await Promise.all(readers), [
      ['1a', '2b', '3c'],
      ['1a', '2b', '3c'],
    ]);
    assert.equal(log.lastSequence, 3);
  });

  it('replays from the event after a sequence', async () => {
    const log = logOf(['a', 'b', 'c']);
    log.end();
    assert.deepEqual(await read(log, { afterSequence: 2 }), ['3c']);
    assert.deepEqual(await read(log, { afterSequence: 3 }), []);
  });

  it('keeps a bounded number of events; a reader that is behind goes on with the oldest kept', async () => {
    const log = logOf(
      Array.from({ length: 5_000 }, (_, index) => `-${index + 1}`),
      { maxEvents: 3 },
    );
    log.end();
    assert.deepEqual(await read(log), ['4998-4998', '4999-4999', '5000-5000']);
  });

  it('keeps a bounded amount of text, but always the newest event', async () => {
    const log = logOf(['a'.repeat(600), 'b'.repeat(600), 'c'.repeat(5_000)], { maxUnits: 2_000 });
    log.end();
    assert.deepEqual(
      (await read(log)).map((text) => text.slice(0, 2)),
      ['3c'],
    );
  });

  it('ends a reader that waits when its signal fires', async () => {
    const controller = new AbortController();
    const reading = read(logOf(['a']), { signal: controller.signal });
    await Promise.resolve();
    controller.abort();
    assert.deepEqual(await reading, ['1a']);
  });

  it('wakes readers that wait for the next event', async () => {
    const log = logOf([]);
    const iterator = log.read();
    const next = iterator.next();
    log.append(event('late'));
    assert.deepEqual((await next).value, { sequence: 1, event: event('late') });
    await iterator.return();
  });

  it('adds nothing after its end', async () => {
    const log = logOf(['a']);
    log.end();
    log.append(event('b'));
    assert.deepEqual(await read(log), ['1a']);
  });

  it('lets other work run while a reader catches up', async () => {
    let pauses = 0;
    const log = new EventLog(() => {
      pauses++;
      return Promise.resolve();
    });
    for (let index = 0; index < 1_024; index++) log.append(event('x'));
    log.end();
    await read(log);
    assert.equal(pauses, 4);
  });
});
