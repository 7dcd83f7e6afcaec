import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyGrowth, growthBetween } from '../../../../src/chat/common/log/jsonGrowth';

const json = fc.jsonValue({ maxDepth: 3 });

describe('growthBetween', () => {
  it('leads from any value to any other', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const plain: unknown = JSON.parse(JSON.stringify(after));
        const steps: unknown = JSON.parse(JSON.stringify(growthBetween(before, plain)));
        assert.deepEqual(applyGrowth(before, steps as ReturnType<typeof growthBetween>), plain);
      }),
    );
  });

  it('leads to and from members that are named like inherited ones', () => {
    const value = (text: string): unknown => JSON.parse(text);
    for (const [before, after] of [
      ['[{"valueOf":null},{}]', '[{},{}]'],
      ['{"valueOf":null}', '{}'],
      ['{}', '{"constructor":{"a":1}}'],
      ['{}', '{"__proto__":{"a":1}}'],
      ['{}', '{"__proto__":{}}'],
      ['{"__proto__":{"a":1}}', '{}'],
    ] as const) {
      const steps = growthBetween(value(before), value(after));
      assert.equal(JSON.stringify(applyGrowth(value(before), steps)), after);
    }
  });

  it('contains only what was added to a text, also to a window that moves over it', () => {
    const text = Array.from({ length: 2000 }, (_, line) => `line ${line}\n`).join('');
    for (const [from, to] of [
      [0, 9000],
      [400, 9400],
    ] as const) {
      const before = [{ output: text.slice(0, 9000) }];
      const after = [{ output: text.slice(from, to + 300) }];
      const steps = growthBetween(before, after);
      assert.ok(JSON.stringify(steps).length < 1200);
      assert.deepEqual(applyGrowth(before, steps), after);
    }
  });

  it('does not apply to a value that it does not fit', () => {
    assert.equal(applyGrowth({ text: 'a' }, [{ at: ['list', 3, 'text'], text: 'b' }]), undefined);
    assert.equal(applyGrowth({ text: 'a' }, [{ at: ['text'], items: ['b'] }]), undefined);
  });
});
