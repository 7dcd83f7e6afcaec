import assert from 'node:assert/strict';
import fc from 'fast-check';
import { encodeJsonLine, JsonLineReader, type JsonLine } from '../../../../src/wire/common/jsonLines';

function read(text: string, maxLineBytes?: number): JsonLine[] {
  const reader = new JsonLineReader(maxLineBytes);
  reader.addChunk(new TextEncoder().encode(text));
  reader.end();
  const lines: JsonLine[] = [];
  for (let line = reader.read(); line; line = reader.read()) lines.push(line);
  return lines;
}

describe('JSON lines', () => {
  it('reads an object a line and passes over empty lines', () => {
    assert.deepEqual(read('{"id":1}\n\n  \r\n {"id":2}\r\n{"id":3}'), [
      { message: { id: 1 } },
      { message: { id: 2 } },
      { message: { id: 3 } },
    ]);
  });

  for (const line of ['Loading…', '[1]', '"text"', '42', 'null', '{"id":', '{} {}', '{not json}']) {
    it(`calls ${line} noise and reads on`, () => {
      const bytes = new TextEncoder().encode(line).length;
      assert.deepEqual(read(`${line}\n{"id":1}\n`), [
        { noise: { kind: 'notJson', excerpt: line, bytes } },
        { message: { id: 1 } },
      ]);
    });
  }

  it('reads the messages of a JSON-RPC batch one by one, and names the batch with the first', () => {
    const batch = [{ jsonrpc: '2.0', id: 1, method: 'a' }, { jsonrpc: '2.0', method: 'b' }, { x: 1 }];
    assert.deepEqual(read(`  ${JSON.stringify(batch)}\n{"id":1}\n`), [
      { message: batch[0], batch },
      { message: batch[1] },
      { message: batch[2] },
      { message: { id: 1 } },
    ]);
  });

  for (const line of ['[]', '[{"level":"info"}]', '[{"jsonrpc":"2.0","method":"a"},1]', '[{"jsonrpc":"2.0"', '[x]']) {
    it(`takes ${line} for no batch`, () => {
      assert.deepEqual(
        read(`${line}\n{"id":1}\n`).map(({ message, noise }) => message ?? noise.kind),
        ['notJson', { id: 1 }],
      );
    });
  }

  const answer = { jsonrpc: '2.0', id: 0, result: { protocolVersion: 1 } };
  for (const banner of ['Welcome!', 'v1 {beta} \u001b[0m', '{"level":"info"} ', '{{']) {
    it(`takes the first message from a line that begins with ${JSON.stringify(banner)}`, () => {
      const bytes = new TextEncoder().encode(banner).length;
      assert.deepEqual(read(`${banner}${JSON.stringify(answer)}\n{"id":1}\n`), [
        { noise: { kind: 'notJson', excerpt: banner, bytes } },
        { message: answer },
        { message: { id: 1 } },
      ]);
    });
  }

  it('takes no message from a log: a request that the peer repeats, or anything after the first message', () => {
    const request = { jsonrpc: '2.0', id: 0, method: 'initialize' };
    const kinds = (text: string) => read(text).map(({ message, noise }) => message ?? noise.kind);
    assert.deepEqual(kinds(`got ${JSON.stringify(request)}\n`), ['notJson']);
    assert.deepEqual(kinds(`{"id":1}\nsent ${JSON.stringify(answer)}\n`), [{ id: 1 }, 'notJson']);
    assert.deepEqual(kinds(`${'{'.repeat(50)}${JSON.stringify(answer)}\n`), ['notJson']);
  });

  it('keeps only the beginning of noise', () => {
    const [line] = read(`${'x'.repeat(5_000)}\n`);
    assert.equal(line?.noise?.bytes, 5_000);
    assert.equal(line.noise.excerpt.length, 200);
  });

  it('calls a line above the limit noise and reads on', () => {
    assert.deepEqual(read(`{"text":"${'x'.repeat(50)}"}\n{"id":1}\n`, 20), [
      { noise: { kind: 'tooLong', excerpt: `{"text":"${'x'.repeat(50)}"}`, bytes: 61 } },
      { message: { id: 1 } },
    ]);
  });

  it('writes what it reads, on one line', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (message) => {
        const line = encodeJsonLine(message);
        assert.equal(line.indexOf('\n'), line.length - 1);
        assert.deepEqual(read(line), [{ message: JSON.parse(line) as unknown }]);
      }),
    );
  });
});
