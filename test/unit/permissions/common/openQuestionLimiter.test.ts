import assert from 'node:assert/strict';
import { OpenQuestionLimiter } from '../../../../src/permissions/common/openQuestionLimiter';

describe('questions of programs outside VS Code', () => {
  it('are few at a time for each, and in all, whatever names they give themselves', () => {
    const questions = new OpenQuestionLimiter({ perClient: 2, inAll: 3 });
    const first = questions.tryOpen('a');
    assert.ok(first);
    assert.ok(questions.tryOpen('a'));
    assert.equal(questions.tryOpen('a'), undefined);
    assert.ok(questions.tryOpen('b'));
    assert.equal(questions.tryOpen('c'), undefined);
    first.dispose();
    assert.ok(questions.tryOpen('c'));
    first.dispose();
    assert.equal(questions.tryOpen('a'), undefined, 'an answer counts once');
  });
});
