import assert from 'node:assert/strict';
import { LogNormalizer } from '../../../../src/chat/node/log/logNormalizer';
import { logVersion, type LogRecord } from '../../../../src/chat/common/conversation/logRecord';
import { event } from '../support/transcriptRecorder';

const begin = (version: number): LogRecord => ({ type: 'begin', at: 1, version, id: 'c', backendId: 'one' });
const bound: LogRecord = { type: 'bound', at: 2, remoteId: 's' };
const resumed: LogRecord = { type: 'resumed', at: 2 };
const told = (...args: Parameters<typeof event>): LogRecord => ({ type: 'event', at: 3, event: event(...args) });
const submit = told('prompt:submit', { prompt: 'Go' });
const said = (delta: string) => told('content_block:delta', { block_index: 0, delta });
const bash = { tool_name: 'bash', operation: 'bash' };
const pre = told('tool:pre', { ...bash, input: {} });
const complete = (response: string) => told('prompt:complete', { response });

/** The events of the records, each with what matters most of it. */
function read(...records: readonly LogRecord[]): string[] {
  const normalizer = new LogNormalizer();
  return records
    .flatMap((record) => normalizer.normalize(record))
    .flatMap((record) => {
      if (record.type !== 'event') return [];
      const { event: name, data } = record.event;
      if (name === 'content_block:delta') return [`${name} ${data.delta}`];
      if (name === 'content_block:start' || name === 'content_block:end') return [`${name} ${data.block_index}`];
      return name === 'tool:pre' || name === 'tool:error' ? [`${name} ${data.call_id ?? '-'}`] : [name];
    });
}

describe('LogNormalizer', () => {
  it('normalizes a log of version 1', () => {
    assert.deepEqual(read(begin(1), bound, submit, said('One'), pre, complete('One')), [
      'session:start',
      'prompt:submit',
      'content_block:start 0',
      'content_block:delta One',
      'content_block:end 0',
      'tool:pre call-1',
      'tool:error call-1',
      'prompt:complete',
    ]);
  });

  it('keeps the time of each record', () => {
    const [, start] = new LogNormalizer().normalize(said('One'));
    assert.equal(start?.at, 3);
  });

  it('leaves a normalized log unchanged', () => {
    assert.deepEqual(read(begin(logVersion), bound, submit, said('One'), pre), [
      'prompt:submit',
      'content_block:delta One',
      'tool:pre -',
    ]);
  });

  it('leaves events unchanged that were normalized before', () => {
    const normalizer = new LogNormalizer();
    const once = [begin(1), bound, submit, said('One'), pre, complete('Two')].flatMap((record) =>
      normalizer.normalize(record),
    );
    const again = new LogNormalizer();
    assert.deepEqual(
      once.flatMap((record) => again.normalize(record)),
      once,
    );
  });

  it('starts a new session at each `bound` record', () => {
    const events = read(bound, submit, pre, bound, submit, said('One'), complete('One'));
    assert.deepEqual(events.slice(3, 5), ['session:start', 'prompt:submit'], 'the call of the first one is not ended');
  });

  it('does not repeat text of a turn that was interrupted and resumed', () => {
    const cut = [bound, submit, said('One'), resumed, said(' two'), resumed, complete('One two three')];
    const texts = read(...cut).filter((line) => line.startsWith('content_block:delta'));
    assert.deepEqual(texts, ['content_block:delta One', 'content_block:delta  two', 'content_block:delta  three']);
  });
});
