import assert from 'node:assert/strict';
import { parseFragment, splitFragment } from '../../../../../src/editor/common/text/uriFragment';

/** `line:character-line:character`, with `end` for the end of a line. */
function shown(fragment: string): string | undefined {
  const range = parseFragment(fragment);
  if (!range) return undefined;
  const place = ({ line, character }: { line: number; character: number }): string =>
    `${line}:${character > 1e6 ? 'end' : character}`;
  return `${place(range.start)}-${place(range.end)}`;
}

describe('parseFragment', () => {
  for (const [fragment, expected] of [
    ['L12', '11:0-11:0'],
    ['L12:5', '11:4-11:4'],
    ['L12C5', '11:4-11:4'],
    ['L12-L20', '11:0-19:end'],
    ['L12-20', '11:0-19:end'],
    ['L12:5-L20:3', '11:4-19:2'],
    ['L12C5-L20C3', '11:4-19:2'],
    ['L12:5-L20', '11:4-19:end'],
    ['L20-L12', '11:0-19:end'],
    ['L20:3-L12:5', '11:4-19:2'],
    ['L0:0', '0:0-0:0'],
    ['L99999999999999999999', '2147483646:0-2147483646:0'],
  ] as const) {
    it(`reads ${fragment}`, () => assert.equal(shown(fragment), expected));
  }

  for (const fragment of ['', 'L', 'l12', 'L12:', 'L12-', 'L-1', 'L1.5', 'xL12', 'L12x', 'heading', 'L12\n']) {
    it(`does not take ${JSON.stringify(fragment)} for a place`, () => assert.equal(shown(fragment), undefined));
  }
});

describe('splitFragment', () => {
  it('splits off a place, and nothing else', () => {
    assert.deepEqual(splitFragment('C#/a.cs#L3'), { path: 'C#/a.cs', range: parseFragment('L3') });
    assert.deepEqual(splitFragment('C#/a.cs'), { path: 'C#/a.cs', range: undefined });
    assert.deepEqual(splitFragment('a.cs'), { path: 'a.cs', range: undefined });
  });
});
