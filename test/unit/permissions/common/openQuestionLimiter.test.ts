import assert from 'node:assert/strict';
import { OpenQuestionLimiter } from '../../../../src/permissions/common/openQuestionLimiter';

describe('questions of programs outside VS Code', () => {
  it('are few at a time for each, and in all, whatever names they give themselves', () => {
    const questions = new OpenQuestionLimiter({ perClient: 2, inAll: 3, ended: 2 });
    const first = questions.tryOpen('a');
    assert.ok(first);
    assert.ok(questions.tryOpen('a'));
    assert.equal(questions.tryOpen('a'), undefined);
    assert.ok(questions.tryOpen('b'));
    assert.equal(questions.tryOpen('c'), undefined);
    first.close();
    assert.ok(questions.tryOpen('c'));
    first.close();
    assert.equal(questions.tryOpen('a'), undefined, 'an answer counts once');
  });

  it('that nobody waits for do not count, until they fill the screen', () => {
    const questions = new OpenQuestionLimiter({ perClient: 1, inAll: 1, ended: 2 });
    const [first, second] = [1, 2].map(() => {
      const question = questions.tryOpen('a');
      question?.end();
      return question ?? assert.fail();
    });
    assert.equal(questions.tryOpen('a'), undefined);
    second?.close();
    first?.end();
    assert.ok(questions.tryOpen('a'));
  });
});
