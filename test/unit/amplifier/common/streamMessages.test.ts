import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { decodeStreamMessage } from '../../../../src/amplifier/common/api/streamMessages';

function decode(event: string, data?: unknown) {
  return decodeStreamMessage('s', { data: JSON.stringify({ event, data }) });
}

function decoded(event: string, data?: unknown) {
  const result = decode(event, data);
  if (!('event' in result)) assert.fail(`${event} does not count`);
  return result.data;
}

describe('messages of the stream', () => {
  it('count when they have no name or are named message', () => {
    const data = '{"event":"thinking:delta","data":{"session_id":"s","delta":"x"}}';
    for (const event of [undefined, 'message']) assert.ok('event' in decodeStreamMessage('s', { event, data }));
    assert.deepEqual(decodeStreamMessage('s', { event: 'other', data }), { ignored: 'name', name: 'other' });
    assert.deepEqual(decodeStreamMessage('s', { event: 'ping', data: 'keepalive' }), { ignored: 'name', name: 'ping' });
  });

  for (const [text, reason] of [
    ['keepalive', 'notJson'],
    ['[1]', 'notAnEvent'],
    ['null', 'notAnEvent'],
    ['{"event":7}', 'notAnEvent'],
    ['{"event":"brand:new","data":{}}', 'unknownEvent'],
    ['{"event":"diagnostic:add","data":{"path":1}}', 'invalid'],
    ['{"event":"content_block:delta","data":{"delta":7}}', 'invalid'],
  ] as const) {
    it(`do not count when they are ${text}`, () => {
      const result = decodeStreamMessage('s', { data: text });
      assert.equal(!('event' in result) && result.ignored, reason);
    });
  }

  it('that come by the thousand are read as the schema reads them', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double(),
      fc.constant(null),
      fc.constant(undefined),
      fc.object(),
    );
    const fields = fc.record({ session_id: fc.constant('s'), delta: value, block_index: value, more: value });
    const exact = fc.record({ session_id: fc.string(), delta: fc.string(), block_index: fc.nat(), more: value });
    fc.assert(
      fc.property(fc.constantFrom('content_block:delta', 'thinking:delta'), fc.oneof(fields, exact), (event, data) => {
        const wire: unknown = JSON.parse(JSON.stringify({ event, data }));
        const bySchema = SessionEvent.safeParse(wire);
        const result = decodeStreamMessage('s', { data: JSON.stringify(wire) });
        if (bySchema.success) assert.deepEqual(result, bySchema.data);
        // What the schema refuses is repaired or ignored, and fits the schema when it is repaired.
        else if ('event' in result) SessionEvent.parse(result);
      }),
      { numRuns: 500 },
    );
  });

  it('have a block index of 0 and a session where they leave them out', () => {
    assert.deepEqual(decoded('content_block:delta', { delta: 'x' }), { session_id: 's', block_index: 0, delta: 'x' });
  });

  it('report what failed, whatever field says it', () => {
    for (const [data, text] of [
      [{ error: 'a' }, 'a'],
      [{ message: 'b' }, 'b'],
      [{ error: { code: 'PROVIDER_ERROR', message: 'c' } }, 'c'],
      [{}, 'The server reported an error without details.'],
    ] as const) {
      const event = decoded('error', data);
      assert.equal('error' in event && event.error, text);
    }
    const coded = decoded('error', { error: { code: 'PROVIDER_ERROR', message: 'c' } });
    assert.equal('code' in coded && coded.code, 'PROVIDER_ERROR');
  });

  it('of tools have an input, an operation and a result', () => {
    assert.deepEqual(decoded('tool:pre', { tool_name: 'bash', input: null }), {
      session_id: 's',
      tool_name: 'bash',
      operation: 'bash',
      input: {},
    });
    for (const [result, expected] of [
      [null, { success: true }],
      ['text', { success: true, output: 'text' }],
      [
        { stdout: 'x', error: null },
        { success: true, output: { stdout: 'x', error: null } },
      ],
      [{ error: 'bad' }, { success: false, output: { error: 'bad' } }],
      [
        { success: false, error: { message: 'bad' } },
        { success: false, error: { message: 'bad' } },
      ],
    ]) {
      const data = decoded('tool:post', { tool_name: 'bash', operation: 'bash', result, duration_ms: null });
      assert.deepEqual('result' in data && data.result, expected);
    }
  });

  it('lose nulls, the echoed context, and nothing else', () => {
    assert.deepEqual(decoded('status:update', { status: 'busy', message: null, progress: null, extra: 1 }), {
      session_id: 's',
      status: 'busy',
      extra: 1,
    });
    assert.deepEqual(decoded('prompt:submit', { prompt: 'p', context_update: { open_files: [] } }), {
      session_id: 's',
      prompt: 'p',
    });
    assert.deepEqual(decoded('prompt:complete', { response: null, token_usage: null }), {
      session_id: 's',
      response: '',
    });
  });

  it('report what they are there for, though what goes with it cannot be read', () => {
    for (const usage of [
      {},
      { total: 5 },
      { input_tokens: null, output_tokens: 1 },
      { input_tokens: 1.5, output_tokens: 1 },
    ]) {
      const done = decoded('prompt:complete', { response: 'the answer', token_usage: usage });
      assert.ok('response' in done && done.response === 'the answer' && done.token_usage === undefined);
      const end = decoded('session:end', { reason: 'user_stopped', token_usage: usage });
      assert.ok('reason' in end && end.reason === 'user_stopped');
    }
    const status = decoded('status:update', { status: 'processing', message: 'm', progress: 101 });
    assert.ok('progress' in status && status.message === 'm' && status.progress === undefined);
  });

  it('that the server shows its user become notices', () => {
    const result = decode('display:text', { text: 'hello', type: 'warning' });
    assert.equal('event' in result && result.event, 'notice');
    assert.deepEqual(decoded('warning', { message: 'm' }), { session_id: 's', level: 'warning', message: 'm' });
  });
});
