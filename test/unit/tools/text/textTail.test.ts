import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TextTail } from '../../../../src/tools/common/text/textTail';
import { processorMsOf } from '../../../support/processorTime';

describe('the end of a text that grows', () => {
  it('is what a whole text would end with, at any time', () => {
    const pieces = fc.array(fc.tuple(fc.string({ maxLength: 30 }), fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 40 }), (grown, maxLength) => {
        const tail = new TextTail(maxLength);
        let whole = '';
        for (const [piece, isRead] of grown) {
          tail.push(piece);
          whole += piece;
          if (isRead) assert.equal(tail.toString(), whole.slice(-maxLength));
        }
        assert.equal(tail.toString(), whole.slice(-maxLength));
      }),
    );
  });

  it('is not copied for each piece', () => {
    const maxLength = 256 * 1_024;
    const tail = new TextTail(maxLength);
    const usedMs = processorMsOf(() => {
      for (let count = 0; count < 200_000; count++) tail.push('a line of output that a task has printed\n');
    });
    assert.equal(tail.toString().length, maxLength);
    // Copying the kept text each time takes over 10 s.
    assert.ok(usedMs < 5_000);
  });
});
