import assert from 'node:assert/strict';
import { createContext, runInContext } from 'node:vm';
import { applyMutant, findMutants } from '../../../../scripts/lib/mutate/mutants.mjs';
import { switchName, withSwitches } from '../../../../scripts/lib/mutate/switches.mjs';

const text = [
  'function kindOf(n, list) {',
  '  if (n === undefined || (n < 0 && !list.includes(n))) return "none";',
  '  const isOdd = (m) => m % 2 === 1;',
  '  return n > 10 || isOdd(n) ? (n >= 20 ? "huge" : "big") : "small";',
  '}',
].join('\n');
const mutants = findMutants('a.ts', text).map((mutant, number) => ({ number, mutant }));
const inputs: readonly (readonly [number | undefined, readonly number[]])[] = [
  [undefined, []],
  ...[-2, -1, 0, 1, 9, 10, 11, 20, 22].flatMap((n) => [[n, []] as const, [n, [-2, 9]] as const]),
];

/** What the function of a text answers to each input, or the name of what it throws. */
function answersOf(program: string, active?: number): unknown {
  const scope = createContext({ inputs, [switchName]: (number: number) => number === active });
  const call = '(([n, list]) => { try { return kindOf(n, list); } catch (error) { return error.name; } })';
  return runInContext(`${program}\nJSON.stringify(inputs.map(${call}))`, scope);
}

describe('a source with switches', () => {
  it('does what it did while every switch is off', () => {
    assert.ok(mutants.length > 15);
    assert.equal(answersOf(withSwitches(text, mutants)), answersOf(text));
  });

  it('does what each mutant does when its switch is on', () => {
    const program = withSwitches(text, mutants);
    for (const { number, mutant } of mutants) {
      assert.equal(answersOf(program, number), answersOf(applyMutant(text, mutant)), mutant.replacement);
    }
  });

  it('keeps the lines where they are', () => {
    const program = withSwitches(text, mutants);
    assert.equal(program.split('\n').length, text.split('\n').length);
  });

  it('without mutants is the source behind one declaration', () => {
    assert.ok(withSwitches(text, []).endsWith(` ${text}`));
  });
});
