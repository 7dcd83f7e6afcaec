import assert from 'node:assert/strict';
import {
  reasonFor,
  withoutResolvedReasons,
  withReason,
  markReasonSent,
} from '../../../src/chat/common/approvals/approvalReasons';

const one = { sessionId: 's1', id: 'ap1', prompt: 'Run a' };
const elsewhere = { ...one, sessionId: 's2' };
const both = withReason(withReason([], one, 'not a'), elsewhere, 'not b');

describe('ApprovalReasons', () => {
  it('keeps a reason for its approval, whatever is typed for others', () => {
    assert.deepEqual([reasonFor(both, one), reasonFor(both, elsewhere)], ['not a', 'not b']);
    const changed = withReason(both, one, 'never');
    assert.deepEqual([reasonFor(changed, one), reasonFor(changed, elsewhere)], ['never', 'not b']);
    assert.equal(reasonFor(withReason(changed, one, undefined), one), undefined);
  });

  it('removes a reason only when its approval is no longer pending', () => {
    assert.equal(withoutResolvedReasons(both, 's1', [one]), both);
    assert.equal(withoutResolvedReasons(both, 's3', []), both, 'of other conversations nothing is known');
    const left = withoutResolvedReasons(both, 's1', []);
    assert.deepEqual([reasonFor(left, one), reasonFor(left, elsewhere)], [undefined, 'not b']);
  });

  it('does not use a reason for another approval with the same id of a restarted agent', () => {
    const again = { ...one, prompt: 'Run b' };
    assert.equal(reasonFor(both, again), undefined);
    assert.equal(withoutResolvedReasons(both, 's1', [again]).length, 1);
  });

  it('shows a sent reason, and distinguishes it from an unsent one', () => {
    const sent = markReasonSent(both, one);
    assert.equal(reasonFor(sent, one), 'not a');
    assert.deepEqual(
      sent.map(({ isSent = false }) => isSent),
      [true, false],
    );
  });

  it('keeps a bounded number of reasons and evicts the oldest', () => {
    let kept = both;
    for (let at = 0; at < 30; at++) kept = withReason(kept, { ...one, id: `${at}` }, 'x');
    assert.equal(kept.length, 20);
    assert.equal(reasonFor(kept, { ...one, id: '29' }), 'x');
    assert.equal(reasonFor(kept, one), undefined);
  });
});
