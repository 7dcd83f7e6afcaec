import assert from 'node:assert/strict';
import { BatchAnswers } from '../../../../src/wire/common/batchAnswers';

const answer = (id: string | number) => ({ jsonrpc: '2.0', id, result: {} });

describe('the answers to batches', () => {
  it('wait for each other, in any order, also among those to another batch', () => {
    const answers = new BatchAnswers();
    answers.addBatch([{ id: 1, method: 'a' }, { id: 2, method: 'b' }, { method: 'told' }]);
    answers.addBatch([
      { id: 3, method: 'a' },
      { id: '1', method: 'b' },
    ]);
    assert.equal(answers.takeDataToSend(answer(2)), undefined);
    assert.equal(answers.takeDataToSend(answer('1')), undefined);
    assert.deepEqual(answers.takeDataToSend(answer(1)), [answer(2), answer(1)]);
    assert.deepEqual(answers.takeDataToSend(answer(3)), [answer('1'), answer(3)]);
    assert.deepEqual(answers.takeDataToSend(answer(1)), answer(1), 'a later request with that id is on its own');
  });

  it('do not hold up requests, notifications and answers to others', () => {
    const answers = new BatchAnswers();
    answers.addBatch([{ id: 1, method: 'a' }]);
    for (const message of [{ id: 1, method: 'ours' }, { method: 'told' }, answer(7), { id: null, error: {} }])
      assert.equal(answers.takeDataToSend(message), message);
    assert.deepEqual(answers.takeDataToSend(answer(1)), [answer(1)]);
  });

  it('are as many as the requests of an id that comes twice', () => {
    const answers = new BatchAnswers();
    answers.addBatch([
      { id: 1, method: 'a' },
      { id: 1, method: 'b' },
    ]);
    assert.equal(answers.takeDataToSend(answer(1)), undefined);
    assert.deepEqual(answers.takeDataToSend(answer(1)), [answer(1), answer(1)]);
  });

  it('are all sent if two batches use the same id at once', () => {
    const answers = new BatchAnswers();
    const refusal = { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'in use' } };
    answers.addBatch([
      { id: 1, method: 'a' },
      { id: 2, method: 'a' },
    ]);
    answers.addBatch([
      { id: 1, method: 'b' },
      { id: 3, method: 'b' },
    ]);
    assert.equal(answers.takeDataToSend(refusal), undefined);
    assert.deepEqual(answers.takeDataToSend(answer(3)), [refusal, answer(3)]);
    assert.equal(answers.takeDataToSend(answer(1)), undefined);
    assert.deepEqual(answers.takeDataToSend(answer(2)), [answer(1), answer(2)]);
    assert.deepEqual(answers.takeDataToSend(answer(1)), answer(1));
  });

  it('do not count if they cannot be serialized, so that an error can be sent instead', () => {
    const answers = new BatchAnswers();
    answers.addBatch([
      { id: 1, method: 'a' },
      { id: 2, method: 'b' },
    ]);
    assert.throws(() => answers.takeDataToSend({ ...answer(1), result: 1n }), TypeError);
    assert.equal(answers.takeDataToSend(answer(2)), undefined);
    assert.deepEqual(answers.takeDataToSend(answer(1)), [answer(2), answer(1)]);
  });

  it('are not waited for if a batch has answers only', () => {
    const answers = new BatchAnswers();
    answers.addBatch([answer(1)]);
    assert.deepEqual(answers.takeDataToSend(answer(1)), answer(1));
  });
});
