import assert from 'node:assert/strict';
import { EventLog, type EventLogLimits } from '../../../../src/session/common/eventLog';
import type { ReadEventsOptions } from '../../../../src/session/common/sessionBackend';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';

const start: SessionEvent = { event: 'session:start', data: { session_id: 's' } };
const event = (message: string): SessionEvent => ({
  event: 'notice',
  data: { session_id: 's', level: 'info', message },
});

function logOf(messages: readonly string[], limits?: EventLogLimits): EventLog {
  const log = new EventLog(() => Promise.resolve(), limits);
  log.append(start);
  for (const message of messages) log.append(event(message));
  return log;
}

async function read(log: EventLog, options?: ReadEventsOptions): Promise<string[]> {
  const seen: string[] = [];
  for await (const { sequence, event: told } of log.read(options)) {
    seen.push(`${sequence}${told.event === 'notice' ? told.data.message : ''}`);
  }
  return seen;
}

describe('the log of a session’s events', () => {
  it('numbers events from 1 and sends them to every reader', async () => {
    const log = logOf(['a', 'b']);
    const readers = [read(log), read(log)];
    log.append(event('c'));
    log.end();
    assert.deepEqual(await Promise.all(readers), [
      ['1', '2a', '3b', '4c'],
      ['1', '2a', '3b', '4c'],
    ]);
  });

  it('replays from the event after a sequence', async () => {
    const log = logOf(['a', 'b', 'c']);
    log.end();
    assert.deepEqual(await read(log, { afterSequence: 3 }), ['4c']);
    assert.deepEqual(await read(log, { afterSequence: 4 }), []);
  });

  it('keeps a bounded number of events; a reader that is behind continues with the oldest kept', async () => {
    const log = logOf(
      Array.from({ length: 5_000 }, (_, index) => `-${index + 1}`),
      { maxEvents: 3 },
    );
    log.end();
    assert.deepEqual(await read(log), ['4999-4998', '5000-4999', '5001-5000']);
  });

  it('keeps a bounded amount of text, but always the newest event', async () => {
    const log = logOf(['a'.repeat(600), 'b'.repeat(600), 'c'.repeat(5_000)], { maxUnits: 2_000 });
    log.end();
    assert.deepEqual(
      (await read(log)).map((text) => text.slice(0, 2)),
      ['4c'],
    );
  });

  it('ends a reader that waits when its signal fires', async () => {
    const controller = new AbortController();
    const reading = read(logOf([]), { signal: controller.signal });
    await Promise.resolve();
    controller.abort();
    assert.deepEqual(await reading, ['1']);
  });

  it('wakes readers that wait for the next event', async () => {
    const log = logOf([]);
    const iterator = log.read({ afterSequence: 1 });
    const next = iterator.next();
    log.append(event('late'));
    assert.deepEqual((await next).value, { sequence: 2, event: event('late') });
    await iterator.return();
  });

  it('emits appended events in the normal form', async () => {
    const log = logOf([]);
    log.append({ event: 'content_block:delta', data: { session_id: 's', block_index: 3, delta: 'a' } });
    log.append({ event: 'session:end', data: { session_id: 's' } });
    log.end();
    const told: string[] = [];
    for await (const { sequence, event: heard } of log.read()) told.push(`${sequence} ${heard.event}`);
    assert.deepEqual(told, [
      '1 session:start',
      '2 content_block:start',
      '3 content_block:delta',
      '4 content_block:end',
      '5 session:end',
    ]);
  });

  it('adds nothing after its end', async () => {
    const log = logOf(['a']);
    log.end();
    log.append(event('b'));
    assert.deepEqual(await read(log), ['1', '2a']);
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

  it('keeps only the last output of a call, under the same numbers', async () => {
    const log = logOf([]);
    const named = { session_id: 's', tool_name: 'run', operation: 'run', call_id: 'c', input: {} };
    log.append({ event: 'tool:pre', data: named });
    for (let index = 1; index <= 50; index++) {
      const content = [{ type: 'text' as const, text: 'x'.repeat(1000 * index) }];
      const input = { session_id: 's', call_id: 'c', ...(index === 1 ? { title: 'Run' } : {}), content };
      log.append({ event: 'tool:update', data: input });
    }
    log.end();
    const seen: SessionEvent[] = [];
    for await (const { event: one } of log.read()) seen.push(one);
    assert.equal(seen.length, 52);
    const lengths = seen.map(({ data }) => JSON.stringify(data).length);
    assert.ok(lengths.slice(0, -1).every((length) => length < 200));
    assert.ok((lengths.at(-1) ?? 0) > 50_000);
    assert.equal(seen[2]?.event === 'tool:update' && seen[2].data.title, 'Run');
  });

  it('drops nothing for a reader that reads while more arrives than it is given at a time', async () => {
    const log = new EventLog(() => new Promise((resolve) => setImmediate(resolve)), { maxEvents: 2_000 });
    const reading = read(log);
    for (let round = 0; round < 50; round++) {
      for (let index = 0; index < 800; index++) log.append(event(`-${round}-${index}`));
      await new Promise((resolve) => setImmediate(resolve));
    }
    log.end();
    assert.equal((await reading).length, 50 * 800 + 1);
  });

  describe('keeps little of what was read', () => {
    const limits = { maxReadUnits: 2_000 };
    const texts = (from: number, to: number): string[] =>
      Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(96 + from + index).repeat(600));
    const addAll = async (log: EventLog, added: readonly string[]): Promise<void> => {
      for (const text of added) {
        log.append(event(text));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const starts = (told: readonly string[]): string[] => told.map((text) => text.slice(0, 2));

    it('by all present readers, while one of them stores it', async () => {
      const log = logOf([], limits);
      const early = [read(log), read(log, { isStoring: true })];
      await addAll(log, texts(1, 6));
      const late = read(log);
      log.end();
      const all = ['1', '2a', '3b', '4c', '5d', '6e', '7f'];
      assert.deepEqual((await Promise.all(early)).map(starts), [all, all]);
      assert.deepEqual(starts(await late), ['5d', '6e', '7f']);
    });

    it('but all that one of the readers has still to read', async () => {
      const log = logOf([], limits);
      const slow = log.read();
      await slow.next();
      const fast = read(log, { isStoring: true });
      await addAll(log, texts(1, 6));
      log.end();
      const seen: string[] = [];
      for await (const { sequence } of slow) seen.push(String(sequence));
      assert.deepEqual(seen, ['2', '3', '4', '5', '6', '7']);
      assert.equal((await fast).length, 7);
    });

    it('but all of it while nobody stores it, whoever reads', async () => {
      const log = logOf([], limits);
      const watching = [read(log), read(log)];
      await addAll(log, texts(1, 6));
      log.end();
      assert.equal((await read(log)).length, 7);
      assert.equal((await Promise.all(watching)).flat().length, 14);
    });

    it('but all of it while nobody reads, also after a reader has gone', async () => {
      const log = logOf([], limits);
      const reader = log.read({ isStoring: true });
      await reader.next();
      await reader.return();
      await addAll(log, texts(1, 6));
      log.end();
      assert.equal((await read(log)).length, 7);
    });
  });
});
