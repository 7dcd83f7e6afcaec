import assert from 'node:assert/strict';
import { readToolRun } from '../../../../../../src/threads/common/mapping/parts/toolRun';

const open = { withResult: 'stale', withoutResult: 'stale', isComplete: true } as const;
const decisionOf = (run: object, userInput?: object): string | undefined =>
  readToolRun({ type: 'tool_result', toolUseID: 't', run, ...(userInput ? { userInput } : {}) }, open).decision;

describe('what the user decided about a call', () => {
  it('keeps the feedback of a refusal, whatever the run says', () => {
    const feedback = { accepted: false, denyFeedback: 'use npm run clean' };
    for (const status of ['rejected-by-user', 'done', 'cancelled', 'error']) {
      assert.equal(decisionOf({ status }, feedback), 'Rejected: use npm run clean', status);
    }
    const both = decisionOf({ status: 'rejected-by-user', reason: 'not now' }, feedback);
    assert.equal(both, 'Rejected: use npm run clean (not now)');
    const told = decisionOf({ status: 'rejected-by-user', reason: 'use npm run clean' }, feedback);
    assert.equal(told, 'Rejected: use npm run clean');
  });

  it('is what the run says where the user said no words', () => {
    for (const userInput of [undefined, {}, { accepted: false }, { accepted: false, denyFeedback: '' }]) {
      assert.equal(decisionOf({ status: 'rejected-by-user', reason: 'not now' }, userInput), 'Rejected: not now');
      assert.equal(decisionOf({ status: 'rejected-by-user' }, userInput), 'Rejected');
    }
    const message = 'The tool call was rejected by the user with feedback: use yarn';
    assert.equal(decisionOf({ status: 'error', error: { message } }, { accepted: false }), 'Rejected with feedback');
  });

  it('is a yes, a no or answers to questions otherwise', () => {
    assert.equal(decisionOf({ status: 'done' }), undefined);
    assert.equal(decisionOf({ status: 'done' }, { accepted: true }), 'Allowed');
    assert.equal(decisionOf({ status: 'done' }, { accepted: false }), 'Rejected');
    assert.match(decisionOf({ status: 'done' }, { accepted: true, askAnswers: { q: 'a' } }) ?? '', /^Answered: .*"q"/s);
  });
});
