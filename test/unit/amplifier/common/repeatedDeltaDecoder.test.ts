import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RepeatedDeltaDecoder } from '../../../../src/amplifier/common/api/repeatedDeltaDecoder';
import { decodeStreamMessage } from '../../../../src/amplifier/common/api/streamMessages';

describe('RepeatedDeltaDecoder', () => {
  const json = (delta: string, more: object = {}): string =>
    JSON.stringify({ event: 'content_block:delta', data: { session_id: 's', block_index: 0, delta, ...more } });

  /** Decodes all of them as a stream does. Returns how many were recognized; each result is that of the whole decoding. */
  const recognized = (messages: readonly string[]): number => {
    const repeated = new RepeatedDeltaDecoder('s');
    let count = 0;
    for (const data of messages) {
      const expected = decodeStreamMessage('s', { data });
      const result = repeated.decode({ data });
      if (result) {
        count++;
        assert.deepEqual(result, expected);
      } else {
        repeated.learn({ data }, expected);
      }
    }
    return count;
  };

  it('recognizes a delta that differs from two earlier ones only in its text', () => {
    assert.equal(recognized([json('a'), json('b'), json('c'), json(''), json('é 😀')]), 3);
  });

  it('recognizes deltas whose JSON has spaces, or more behind the text', () => {
    const spaced = (delta: string): string =>
      `{"event": "thinking:delta", "data": {"delta": "${delta}", "session_id": "s"}}`;
    assert.equal(recognized(['a', 'b', 'c'].map(spaced)), 1);
    assert.equal(recognized(['a', 'b', 'c'].map((delta) => json(delta, { model: 'm' }))), 1);
  });

  it('leaves escapes, and what is no valid JSON, to the parser', () => {
    const [before, after] = json('|').split('|');
    const odd = ['"', '\\n', '\n', '\u0000', '\\', '"}},{"x":"'].map((text) => `${before}${text}${after}`);
    assert.equal(recognized([json('a'), json('b'), ...odd]), 0);
    assert.equal(recognized([json('a'), json('b'), ...odd, json('c')]), 1);
  });

  it('is not misled by another member with the same text', () => {
    const twice = (delta: string, other: string): string =>
      `{"event":"content_block:delta","data":{"delta":"${delta}","block_index":0,"session_id":"s","other":"${other}"}}`;
    assert.equal(recognized([twice('a', 'a'), twice('a', 'b'), twice('a', 'c'), twice('a', 'a')]), 0);
    const double = (delta: string): string =>
      `{"event":"content_block:delta","data":{"delta":"a","block_index":0,"session_id":"s","delta":"${delta}"}}`;
    assert.equal(recognized([double('a'), double('b'), double('c')]), 1);
  });

  it('does not look at messages with a name', () => {
    const repeated = new RepeatedDeltaDecoder('s');
    for (const text of ['a', 'b']) repeated.learn({ data: json(text) }, decodeStreamMessage('s', { data: json(text) }));
    assert.equal(repeated.decode({ event: 'ping', data: json('c') }), undefined);
    assert.ok(repeated.decode({ data: json('c') }));
  });

  it('gives up soon when all deltas differ in more than their text, but not for good', () => {
    const numbered = Array.from({ length: 500 }, (_, id) => json('x', { id }));
    assert.equal(recognized(numbered), 0);
    const plain = Array.from({ length: 500 }, (_, index) => json(`text ${index}`));
    assert.ok(recognized([...numbered, ...plain]) > 400);
  });

  it('decodes any stream as the parser does', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('a', '"', '\\', '"}}', 'delta'));
    const message = fc.oneof(
      fc.record({ delta: text }).map(({ delta }) => json(delta)),
      fc.record({ delta: text, other: text }).map(({ delta, other }) => json(delta, { other })),
      fc.record({ delta: text, id: fc.constantFrom('1', 'x') }).map(({ delta, id }) => json(delta, { [id]: delta })),
      text,
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 30 }), (messages) => {
        recognized(messages);
      }),
    );
  });
});
