import assert from 'node:assert/strict';
import Mocha from 'mocha';
import { summaryOf } from '../../../scripts/lib/tests/mochaSummary.mjs';
import { isGood, type Summary } from '../../../scripts/lib/tests/summary.mjs';
import { only } from '../../support/only';

/** What a run comes to whose tests `register` adds, as a test file would. */
async function runOf(register: () => void): Promise<Summary> {
  const mocha = new Mocha({ ui: 'bdd', reporter: Mocha.reporters.Base });
  const outer = { it: global.it, describe: global.describe };
  mocha.suite.emit('pre-require', global, 'some.test.js', mocha);
  try {
    register();
  } finally {
    Object.assign(global, outer);
  }
  return summaryOf(mocha);
}

function passes(): void {
  it('passes', () => undefined);
}

describe('the summary of a mocha run', () => {
  it('counts a skipped test as one that did not pass', async () => {
    const summary = await runOf(() => {
      passes();
      it.skip('later', () => undefined);
    });
    assert.deepEqual([summary.passes, summary.failures, summary.pending], [1, 0, 1]);
    assert.deepEqual(summary.failed, ['later: it was skipped']);
    assert.equal(isGood(summary), false);
  });

  it('does not count a test or suite that runs only at another place', async () => {
    const summary = await runOf(() => {
      passes();
      only('on the moon', false).it('floats', () => assert.fail());
      only('on the moon', false).describe('a step', () => it('is a leap', () => assert.fail()));
    });
    assert.deepEqual([summary.passes, summary.failures, summary.pending], [1, 0, 0]);
    assert.equal(isGood(summary), true);
  });

  it('counts a test that runs only at this place like any other', async () => {
    const summary = await runOf(() => {
      passes();
      only('here', true).it('fails', () => assert.fail('as it should'));
    });
    assert.deepEqual([summary.passes, summary.failures, summary.pending], [1, 1, 0]);
  });

  it('knows a file all of whose tests run elsewhere, so that it counts as one that has run', async () => {
    const summary = await runOf(() => only('on the moon', false).it('floats', () => assert.fail()));
    const [file, ...others] = summary.files;
    assert.ok(file);
    assert.deepEqual([file.file, file.passes, file.failures, others], ['some.test.js', 0, 0, []]);
  });

  it('tells how long the tests and hooks of a file took together', async () => {
    const busy = (ms: number): void => {
      for (const end = performance.now() + ms; performance.now() < end;);
    };
    const startedAt = performance.now();
    const summary = await runOf(() => {
      before(() => busy(30));
      it('is slow', () => busy(40));
      after(() => busy(50));
    });
    const seconds = (performance.now() - startedAt) / 1000;
    const [file] = summary.files;
    assert.ok(file && file.seconds >= 0.12 && file.seconds <= seconds, `${file?.seconds} of ${seconds} s`);
  });
});
