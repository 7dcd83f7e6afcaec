import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ContentBlockNormalizer } from '../../../../../src/session/common/normalize/contentBlockNormalizer';

const word = fc.stringMatching(/^[a-z`*#.]{1,6}$/);
const space = fc.constantFrom(' ', '\n', '\n\n', '\t', '\u00a0', '');
const piece = fc.tuple(space, word, space).map((parts) => parts.join(''));
const step = fc.array(piece, { minLength: 1, maxLength: 6 });

describe('the text of an answer', () => {
  it('is the streamed text, even if the server repeats it with other white space', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        fc.constantFrom('', ' ', '\n'),
        (steps, isWhole, between) => {
          let told = '';
          const blocks = new ContentBlockNormalizer('s', (event) => {
            if (event.event === 'content_block:delta') told += event.data.delta;
          });
          for (const pieces of steps) {
            for (const delta of pieces) {
              blocks.addDelta({ event: 'content_block:delta', data: { session_id: 's', block_index: 0, delta } });
            }
            blocks.endStep();
          }
          const streamed = steps.flat().join('');
          const again = isWhole ? streamed : (steps.at(-1) ?? []).join('');
          blocks.addMissingTextAndEndBlocks(again.replace(/\s+/gu, between));
          assert.equal(told, streamed);
        },
      ),
    );
  });
});
