import assert from 'node:assert/strict';
import { combineRuns, describeSummary, hasFailed, resultsOf } from '../../../scripts/lib/tests/secondRun.mjs';
import type { FileResult } from '../../../scripts/lib/tests/summary.mjs';

const none = { seconds: 0.25, passes: 0, failures: 0, pending: 0, failed: [] };
const passed = (file: string, passes = 1): FileResult => ({ ...none, file, passes });
const failed = (file: string, passes: number, ...titles: string[]): FileResult => ({
  ...passed(file, passes),
  failures: titles.length,
  failed: titles.map((title) => ({ title, error: 'Error: too slow' })),
});
const skipped = (file: string): FileResult => ({
  ...passed(file, 0),
  pending: 1,
  failed: [{ title: 'later', error: 'it was skipped' }],
});

describe('the second run of test files that fail', () => {
  it('is for files with a test that failed or was skipped', () => {
    assert.deepEqual([passed('a'), failed('b', 1, 'x'), skipped('c')].map(hasFailed), [false, true, true]);
  });

  it('counts what passes only then as passed, and reports it as flaky', () => {
    const summary = combineRuns([passed('a', 3), failed('b', 1, 'opens')], [passed('b', 2)]);
    const { passes, failures, pending } = summary;
    assert.deepEqual({ passes, failures, pending }, { passes: 5, failures: 0, pending: 0 });
    assert.deepEqual(summary.failed, []);
    assert.deepEqual(summary.flaky, ['b: opens: Error: too slow']);
  });

  it('reports only the first line of the error of a flaky test, so that each is one line', () => {
    const error = '\nAssertionError: the card is missing\r\n    at chat.test.ts:7\n+ actual';
    const first = { ...failed('a', 0), failures: 1, failed: [{ title: 'opens', error }] };
    assert.deepEqual(combineRuns([first], [passed('a')]).flaky, ['a: opens: AssertionError: the card is missing']);
  });

  it('keeps what fails both times, and what fails only in the second run, as failed', () => {
    const summary = combineRuns([failed('a', 1, 'opens', 'sends')], [failed('a', 1, 'sends', 'closes')]);
    assert.deepEqual(summary.flaky, ['a: opens: Error: too slow']);
    assert.deepEqual(summary.failed, ['sends: Error: too slow', 'closes: Error: too slow']);
    assert.equal(summary.failures, 2);
  });

  it('keeps a skipped test as one that did not pass', () => {
    const summary = combineRuns([skipped('a')], [skipped('a')]);
    assert.equal(summary.pending, 1);
    assert.deepEqual(summary.failed, ['later: it was skipped']);
    assert.deepEqual(summary.flaky, []);
  });

  it('leaves files alone that did not run again', () => {
    const summary = combineRuns([failed('a', 0, 'opens')], []);
    assert.equal(summary.failures, 1);
    assert.deepEqual(summary.flaky, []);
  });

  it('repeats the file that ran when its process ended, and those that had not run', () => {
    const seen = new Map([passed('a'), passed('b')].map((result) => [result.file, result]));
    const results = resultsOf(['a', 'b', 'c'], seen, false);
    assert.deepEqual(
      results.filter(hasFailed).map(({ file }) => file),
      ['b', 'c'],
    );
    const summary = combineRuns(results, [passed('b'), passed('c')]);
    assert.equal(summary.failures, 0);
    assert.deepEqual(summary.flaky, ['b: it did not finish', 'c: it did not finish']);
  });

  it('fails a file of which no test ran, and a failure outside of all files', () => {
    const seen = new Map([failed('elsewhere', 0, 'a hook')].map((result) => [result.file, result]));
    assert.deepEqual(
      resultsOf(['a'], seen, true).map(({ file, failures }) => [file, failures]),
      [
        ['a', 1],
        ['elsewhere', 1],
      ],
    );
  });

  it('is described in lines that end with the flaky tests', () => {
    const summary = combineRuns([failed('a', 0, 'x'), failed('b', 0, 'y')], [failed('a', 0, 'x'), passed('b')]);
    assert.deepEqual(describeSummary(summary), [
      'Seconds per test file, slowest first:',
      '    1.0 all other files (2)',
      '1 passing, 1 failing',
      '  x: Error: too slow',
      'flaky: b: y: Error: too slow',
    ]);
  });

  it('lists the files that take long, slowest first, and a file that ran twice with both times', () => {
    const slow = (result: FileResult, seconds: number): FileResult => ({ ...result, seconds });
    const first = [passed('quick'), slow(passed('a'), 2), slow(failed('b', 0, 'x'), 40), slow(passed('c'), 30)];
    assert.deepEqual(describeSummary(combineRuns(first, [slow(passed('b'), 2.34)])).slice(0, 5), [
      'Seconds per test file, slowest first:',
      '   42.3 b',
      '   30.0 c',
      '    2.0 a',
      '    0.3 all other files (1)',
    ]);
  });
});
