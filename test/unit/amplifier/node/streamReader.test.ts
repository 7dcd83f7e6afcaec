import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SseReader } from '../../../../src/amplifier/node/client/stream/sseReader';

function read(pieces: readonly string[], maxEventLength: number) {
  const messages: string[] = [];
  let oversize = 0;
  const reader = new SseReader(maxEventLength, {
    onMessage: ({ data }) => messages.push(data),
    onKeepAlive: () => undefined,
    onId: () => undefined,
    onRetry: () => undefined,
    onOversize: () => oversize++,
  });
  for (const piece of pieces) reader.feed(piece);
  return { messages, oversize };
}

/** Cuts a text at the given places. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
}

describe('reading server-sent events', () => {
  const lineEnd = fc.constantFrom('\n', '\r\n');
  const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 20 });

  it('gives the events below the cap and counts those above it, however the text is cut', () => {
    const cap = 100;
    fc.assert(
      fc.property(sizes, lineEnd, fc.array(fc.nat(), { maxLength: 60 }), (lengths, end, places) => {
        // Events near the cap may fall on either side of it, by where they are cut.
        const events = lengths.map((length) => (length > cap / 2 && length <= cap * 2 ? 'small' : 'x'.repeat(length)));
        const text = events.map((event) => `event: message${end}data: ${event}${end}${end}`).join('');
        const { messages, oversize } = read(cut(text, places), cap);
        const small = events.filter((event) => event.length <= cap);
        assert.deepEqual(messages, small);
        assert.equal(oversize, events.length - small.length);
      }),
      { numRuns: 500 },
    );
  });

  it('throws away an event of many lines that is over the cap, and only that', () => {
    const big = `${'data: 0123456789\n'.repeat(50)}\n`;
    const { messages, oversize } = read([`data: a\n\n${big}data: b\n\n`], 100);
    assert.deepEqual(messages, ['a', 'b']);
    assert.equal(oversize, 1);
  });
});
