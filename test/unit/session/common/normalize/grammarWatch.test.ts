import assert from 'node:assert/strict';
import { reportGrammarViolations, createGrammarCheck } from '../../../../../src/session/common/normalize/grammarWatch';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';

const start: SessionEvent = { event: 'session:start', data: { session_id: 's' } };
const secret: SessionEvent = {
  event: 'content_block:delta',
  data: { session_id: 's', block_index: 0, delta: 'secret' },
};

describe('the watch over the logs of sessions', () => {
  const { backlineViolation } = globalThis;
  afterEach(() => {
    globalThis.backlineViolation = backlineViolation;
  });

  it('reports which rule an event breaks, once for each log, and nothing of what is in it', () => {
    const reports: string[] = [];
    reportGrammarViolations((message) => reports.push(message));
    for (const watch of [createGrammarCheck(), createGrammarCheck()]) {
      for (const event of [start, secret, secret]) watch?.(event);
    }
    const report = 'session s breaks "only an open block continues or ends" by event 1, content_block:delta';
    assert.deepEqual(reports, [report, report]);
  });

  it('reports nothing after dispose of its reports', () => {
    const reports: string[] = [];
    reportGrammarViolations((message) => reports.push(message)).dispose();
    createGrammarCheck()?.(secret);
    assert.deepEqual(reports, []);
  });
});
