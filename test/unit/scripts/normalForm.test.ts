import assert from 'node:assert/strict';
import Mocha from 'mocha';
import { failOnViolations } from '../../../scripts/lib/normalForm.mjs';
import { summaryOf } from '../../../scripts/lib/tests/mochaSummary.mjs';
import { createGrammarCheck } from '../../../src/session/common/normalize/grammarWatch';

/** The titles of the tests that fail in a run of these. */
async function failuresAmong(tests: Readonly<Record<string, () => unknown>>): Promise<string[]> {
  const mocha = new Mocha({ reporter: Mocha.reporters.Base });
  for (const [title, run] of Object.entries(tests))
    mocha.suite.addTest(
      new Mocha.Test(title, async () => {
        await run();
      }),
    );
  const { backlineViolation } = globalThis;
  try {
    failOnViolations(mocha);
    const { failed } = await summaryOf(mocha);
    return failed.map((test) => test.split(':')[0] ?? '');
  } finally {
    globalThis.backlineViolation = backlineViolation;
  }
}

/** Tells what no session may. */
const tellNonsense = (): void =>
  createGrammarCheck()?.({ event: 'content_block:end', data: { session_id: 's', block_index: 0 } });

describe('sessions that break their normal form in a test', () => {
  it('make this test fail, at once or while it waits, and no other', async () => {
    const failed = await failuresAmong({
      first: () => undefined,
      second: tellNonsense,
      third: () => new Promise<void>((resolve) => setImmediate(resolve)).then(tellNonsense),
      fourth: () => undefined,
    });
    assert.deepEqual(failed, ['second', 'third']);
  });

  it('make the next one fail when they do it behind the end of a test', async () => {
    const later = (): void => void setImmediate(tellNonsense);
    const failed = await failuresAmong({
      first: later,
      second: () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve))),
      third: () => undefined,
    });
    assert.deepEqual(failed, ['second']);
  });
});
