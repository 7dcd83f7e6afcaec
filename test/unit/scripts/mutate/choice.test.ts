import assert from 'node:assert/strict';
import { describeScore, describeSurvivor } from '../../../../scripts/lib/mutate/report.mjs';
import { sample } from '../../../../scripts/lib/mutate/sample.mjs';
import { testFilesOf } from '../../../../scripts/lib/mutate/testFilesOf.mjs';

const hundred = Array.from({ length: 100 }, (_, index) => index);

describe('a sample', () => {
  it('is the same for the same seed, another one for another, and in the order of the list', () => {
    const chosen = sample(hundred, 10, 1);
    assert.deepEqual(sample(hundred, 10, 1), chosen);
    assert.notDeepEqual(sample(hundred, 10, 2), chosen);
    assert.deepEqual(
      chosen,
      chosen.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(chosen).size, 10);
  });

  it('is the whole list when that is not longer', () => {
    assert.deepEqual(sample(hundred, 100, 1), hundred);
    assert.deepEqual(sample(hundred, Infinity, 1), hundred);
    assert.deepEqual(sample([], 5, 1), []);
  });
});

describe('the test files of a source', () => {
  const source = 'src/chat/common/title.ts';
  const bundle = (test: string, ...others: string[]) => ({ test, bundle: test, sources: [source, ...others] });

  it('are those that import it: its own feature and others, its name first, then the smallest', () => {
    const bundles = [
      bundle('test/unit/acp/title.test.ts'),
      bundle('test/unit/chat/large.test.ts', 'a', 'b'),
      bundle('test/unit/chat/small.test.ts', 'a'),
      bundle('test/unit/chat/deep/title.test.ts', 'a', 'b', 'c'),
      { test: 'test/unit/chat/other.test.ts', bundle: 'x', sources: ['src/chat/common/other.ts'] },
    ];
    const { own, others } = testFilesOf(source, bundles);
    assert.deepEqual(
      own.map(({ test }) => test),
      ['test/unit/chat/deep/title.test.ts', 'test/unit/chat/small.test.ts', 'test/unit/chat/large.test.ts'],
    );
    assert.deepEqual(
      others.map(({ test }) => test),
      ['test/unit/acp/title.test.ts'],
    );
  });
});

describe('the report of mutants', () => {
  const mutant = {
    file: 'src/a/common/b.ts',
    kind: 'guard',
    line: 12,
    start: 0,
    end: 1,
    original: 'a &&\n    b',
    replacement: 'false',
  } as const;

  it('names the place, the kind and the change, on one line each', () => {
    const lines = ['src/a/common/b.ts:12  guard that never holds', '    - a && b', '    + false'];
    assert.equal(describeSurvivor(mutant, true), lines.join('\n'));
  });

  it('reports that no test reaches a place', () => {
    const [first] = describeSurvivor(mutant, false).split('\n');
    assert.equal(first, 'src/a/common/b.ts:12  guard that never holds (no test reaches it)');
  });

  it('counts what timed out as noticed', () => {
    const killed = { outcome: 'killed', by: 'x' } as const;
    const timedOut = { outcome: 'timedOut', by: 'x' } as const;
    const survived = { outcome: 'survived', isReached: true } as const;
    const text = '4 mutants, 2 killed, 1 survived, 1 timed out, score 75 %';
    assert.equal(describeScore([killed, killed, survived, timedOut]), text);
  });
});
