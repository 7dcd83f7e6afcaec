import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LineDecoder, type OverlongLine } from '../../../../src/wire/common/lineDecoder';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function readAll(decoder: LineDecoder): (string | OverlongLine)[] {
  const lines: (string | OverlongLine)[] = [];
  for (let line = decoder.read(); line !== undefined; line = decoder.read()) lines.push(line);
  return lines;
}

function decode(chunks: readonly Uint8Array[], maxLineBytes = 1_000): (string | OverlongLine)[] {
  const decoder = new LineDecoder(maxLineBytes);
  const lines = chunks.flatMap((chunk) => {
    decoder.addChunk(chunk);
    return readAll(decoder);
  });
  decoder.end();
  return [...lines, ...readAll(decoder)];
}

const cut = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

describe('LineDecoder', () => {
  const cases: readonly [string, string, readonly string[]][] = [
    ['ends lines at LF', 'a\nb\n', ['a', 'b']],
    ['ends lines at CRLF', 'a\r\nb\r\n', ['a', 'b']],
    ['keeps a CR inside a line', 'a\rb\n', ['a\rb']],
    ['keeps empty lines', '\n\r\na\n', ['', '', 'a']],
    ['delivers a last line without an ending', 'a\nb', ['a', 'b']],
    ['delivers nothing for nothing', '', []],
    ['decodes characters of every length', 'aé€😀\n', ['aé€😀']],
  ];
  for (const [name, text, expected] of cases) {
    it(`${name}, in one chunk and byte by byte`, () => {
      assert.deepEqual(decode([utf8(text)]), expected);
      assert.deepEqual(decode(cut(utf8(text), 1)), expected);
    });
  }

  it('gives the same lines however the bytes are cut', () => {
    const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replace(/[\r\n]|^\ufeff/g, ' '));
    fc.assert(
      fc.property(
        fc.array(line),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 60 }),
        (lines, ending, size) => {
          const text = lines.map((item) => item + ending).join('');
          assert.deepEqual(decode(cut(utf8(text), size)), lines);
        },
      ),
    );
  });

  it('has nothing to read before the line has ended', () => {
    const decoder = new LineDecoder(1_000);
    decoder.addChunk(utf8('a'));
    assert.equal(decoder.read(), undefined);
    decoder.addChunk(utf8('b\n'));
    assert.equal(decoder.read(), 'ab');
  });

  it('drops a line above the limit with one report and continues with the next', () => {
    const text = utf8(`ok\n${'x'.repeat(25)}\nnext\n`);
    for (const size of [1, 7, 100]) {
      const lines = decode(cut(text, size), 10);
      assert.equal(lines.length, 3, `chunks of ${size}`);
      const [first, overlong, last] = lines;
      assert.deepEqual([first, last], ['ok', 'next']);
      assert.ok(typeof overlong === 'object' && overlong.bytes > 10 && /^x{8,25}$/.test(overlong.excerpt));
    }
  });

  it('takes a line of exactly the limit', () => {
    assert.deepEqual(decode([utf8('1234567890\n')], 10), ['1234567890']);
  });

  it('reports an endless line as soon as it is too long', () => {
    const decoder = new LineDecoder(10);
    decoder.addChunk(utf8('x'.repeat(11)));
    assert.deepEqual(decoder.read(), { excerpt: 'x'.repeat(11), bytes: 11 });
    decoder.addChunk(utf8('x'.repeat(1_000)));
    assert.equal(decoder.read(), undefined);
    decoder.end();
    assert.equal(decoder.read(), undefined);
  });

  it('puts a line of many chunks together', () => {
    const text = 'é'.repeat(300_000);
    assert.deepEqual(decode(cut(utf8(`${text}\n`), 65_536), 32 * 1024 * 1024), [text]);
  });
});
