import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJsonc } from '../../../../../src/acp/common/catalogue/jsonc';

describe('JSON with comments', () => {
  it('is read without its comments and last commas', () => {
    const text = '\ufeff// one\n{ "a": [1, 2, /* two */ ], // three\n "b": { "c": true, }, /* , */ }\r\n// end';
    assert.deepEqual(parseJsonc(text), { a: [1, 2], b: { c: true } });
  });

  it('keeps strings as they are', () => {
    const value = { a: '// no', b: '/* no */', c: ',]', d: '\\"// \\', 'e,}': '"' };
    assert.deepEqual(parseJsonc(JSON.stringify(value)), value);
  });

  it('supports all of JSON', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => assert.equal(same(value), same(parseJsonc(same(value))))));
  });

  it('throws for other texts', () => {
    for (const bad of ['{', '[1,,2]', '{"a" 1}', '/* open', '[,]x']) assert.throws(() => parseJsonc(bad), SyntaxError);
  });
});

function same(value: unknown): string {
  return JSON.stringify(value);
}
