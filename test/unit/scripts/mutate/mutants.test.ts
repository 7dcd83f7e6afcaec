import assert from 'node:assert/strict';
import { applyMutant, findMutants } from '../../../../scripts/lib/mutate/mutants.mjs';

/** Each mutant of a text as `kind: what is replaced → by what`. */
function mutantsOf(text: string): string[] {
  return findMutants('a.ts', text).map(({ kind, original, replacement }) => `${kind}: ${original} → ${replacement}`);
}

describe('mutants of a source', () => {
  it('are guards that never hold, however the branch leaves', () => {
    const text = [
      'function f(a: number) { if (a) return; }',
      'function g(a: number) { if (a) { log(); throw new Error(); } }',
      'for (const a of b) { if (a) continue; }',
      'for (const a of b) { if (a) break; }',
    ].join('\n');
    assert.deepEqual(mutantsOf(text), Array(4).fill('guard: a → false'));
  });

  it('are conditions with one outcome, of an if that stays and of both branches of a choice', () => {
    assert.deepEqual(mutantsOf('if (a) b();'), ['condition: a → false']);
    assert.deepEqual(mutantsOf('if (a) return; else b();'), ['condition: a → true', 'condition: a → false']);
    assert.deepEqual(mutantsOf('const x = a ? 1 : 2;'), ['condition: a → true', 'condition: a → false']);
  });

  it('leave out each operand of a chain once', () => {
    assert.deepEqual(mutantsOf('const x = a && b && c;'), [
      'operand: a && b && c → a && b',
      'operand: a && b → b',
      'operand: a && b → a',
    ]);
    assert.deepEqual(mutantsOf('const x = a && b || c;'), [
      'operand: a && b || c → c',
      'operand: a && b || c → a && b',
      'operand: a && b → b',
      'operand: a && b → a',
    ]);
    assert.deepEqual(mutantsOf('const x = a ?? b;'), []);
  });

  it('move each boundary by one', () => {
    const found = mutantsOf('f(a < b, a <= b, a > b, a >= b, a === b);');
    assert.deepEqual(found, [
      'boundary: a < b → a <= b',
      'boundary: a <= b → a < b',
      'boundary: a > b → a >= b',
      'boundary: a >= b → a > b',
    ]);
  });

  it('return what was not asked, only where a boolean is returned', () => {
    assert.deepEqual(mutantsOf('function f() { return true; }'), ['result: true → false']);
    assert.deepEqual(mutantsOf('function f() { return false; }'), ['result: false → true']);
    const boolean = ['!a', 'a === b', 'a in b', 'a instanceof b', '(a !== b)', 'list.includes(a)', '/x/.test(a)'];
    for (const result of boolean) {
      const expected = [`result: ${result} → true`, `result: ${result} → false`];
      assert.deepEqual(mutantsOf(`function f() { return ${result}; }`), expected, result);
      assert.deepEqual(mutantsOf(`const f = () => ${result};`), expected, result);
    }
    for (const result of ['a', 'a.b', 'f(a)', 'list.map(a)', '-a', 'a + b']) {
      assert.deepEqual(mutantsOf(`const f = () => ${result};`), [], result);
    }
  });

  it('of a logical result take its operands for booleans only if they are', () => {
    assert.ok(mutantsOf('const f = () => a === 1 && !b;').includes('result: a === 1 && !b → true'));
    assert.ok(!mutantsOf('const f = () => a === 1 && b;').includes('result: a === 1 && b → true'));
  });

  it('leave types, loops and what changes nothing alone', () => {
    assert.deepEqual(mutantsOf('type A<T> = T extends string ? 1 : 2;'), []);
    assert.deepEqual(mutantsOf('while (a) b();'), []);
    assert.deepEqual(mutantsOf('if (false) b();'), []);
  });

  it('say the line, 1-based, and the exact place', () => {
    const text = 'const x = 1;\n\nif (x > 2) y();\n';
    const [condition, boundary] = findMutants('a.ts', text);
    assert.deepEqual([condition?.line, boundary?.line], [3, 3]);
    assert.ok(condition && boundary);
    assert.equal(applyMutant(text, condition), 'const x = 1;\n\nif ((false)) y();\n');
    assert.equal(applyMutant(text, boundary), 'const x = 1;\n\nif ((x >= 2)) y();\n');
  });
});
