import assert from 'node:assert/strict';
import { canonicalJson } from '../../../src/base/common/canonicalJson';
import { hashJson } from '../../../src/consent/node/contentHash';

describe('the canonical JSON', () => {
  it('is the same for the same value, whatever the order of its members', () => {
    const [one, other] = [
      { b: [1, { d: null, c: 'x' }], a: true, 10: 1, 9: 2 },
      { 9: 2, 10: 1, a: true, b: [1, { c: 'x', d: null }], left: undefined },
    ];
    assert.equal(canonicalJson(one), '{"10":1,"9":2,"a":true,"b":[1,{"c":"x","d":null}]}');
    assert.equal(canonicalJson(other), canonicalJson(one));
    assert.equal(hashJson(other), hashJson(one));
  });

  it('takes 64 levels, and no more', () => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    assert.equal(canonicalJson(nested(65)), JSON.stringify(nested(65)));
    assert.equal(canonicalJson(nested(66)), undefined);
  });

  it('is undefined for ambiguous values, so that they have no hash that could be allowed', () => {
    let deep: unknown = 1;
    for (let at = 0; at < 100; at++) deep = [deep];
    const hostile: unknown = JSON.parse('{ "a": 1, "__proto__": { "b": 2 } }');
    for (const value of [deep, hostile, [undefined], Number.NaN, () => 1]) {
      assert.equal(canonicalJson(value), undefined);
      assert.throws(() => hashJson(value), /nested too deeply or are not valid JSON/);
    }
  });
});
