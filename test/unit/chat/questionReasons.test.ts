import assert from 'node:assert/strict';
import {
  reasonFor,
  withoutResolvedReasons,
  withReason,
  withReasonSent,
} from '../../../src/chat/common/approvals/approvalReasons';

const one = { sessionId: 's1', id: 'ap1', prompt: 'Run a' };
const elsewhere = { ...one, sessionId: 's2' };
const both = withReason(withReason([], one, 'not a'), elsewhere, 'not b');

describe('the reason that is written for a question', () => {
  it('stays with it, whatever is written for others', () => {
    assert.deepEqual([reasonFor(both, one), reasonFor(both, elsewhere)], ['not a', 'not b']);
    const changed = withReason(both, one, 'never');
    assert.deepEqual([reasonFor(changed, one), reasonFor(changed, elsewhere)], ['never', 'not b']);
    assert.equal(reasonFor(withReason(changed, one, undefined), one), undefined);
  });

  it('goes when its question is not open any more, and only then', () => {
    assert.equal(withoutResolvedReasons(both, 's1', [one]), both);
    assert.equal(withoutResolvedReasons(both, 's3', []), both, 'of other conversations nothing is known');
    const left = withoutResolvedReasons(both, 's1', []);
    assert.deepEqual([reasonFor(left, one), reasonFor(left, elsewhere)], [undefined, 'not b']);
  });

  it('is none of another question to which an agent that was started again gave the same id', () => {
    const again = { ...one, prompt: 'Run b' };
    assert.equal(reasonFor(both, again), undefined);
    assert.equal(withoutResolvedReasons(both, 's1', [again]).length, 1);
  });

  it('can be shown when it was sent, and is told from one that waits', () => {
    const sent = withReasonSent(both, one);
    assert.equal(reasonFor(sent, one), 'not a');
    assert.deepEqual(
      sent.map(({ isSent = false }) => isSent),
      [true, false],
    );
  });

  it('is kept for a bounded number of questions, the oldest go first', () => {
    let kept = both;
    for (let at = 0; at < 30; at++) kept = withReason(kept, { ...one, id: `${at}` }, 'x');
    assert.equal(kept.length, 20);
    assert.equal(reasonFor(kept, { ...one, id: '29' }), 'x');
    assert.equal(reasonFor(kept, one), undefined);
  });
});
