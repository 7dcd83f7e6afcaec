import assert from 'node:assert/strict';
import { readSharedText, TextSharer } from '../../../src/context/node/textSharer';

describe('the text that workers share', () => {
  for (const [says, text] of [
    ['nothing', ''],
    ['ASCII', 'one\r\ntwo'],
    ['letters of two to four bytes', 'é € 😀\u2028'],
    ['a file with pages of its own', 'some text\n'.repeat(13_200)],
    ['a large file', 'some text\n'.repeat(50_000)],
    ['a file of about a megabyte', 'some text\n'.repeat(103_191)],
    ['a very large file', 'some text\n'.repeat(200_000)],
    ['a large file that is not ASCII', 'ein Stück\n'.repeat(50_000)],
  ] as const) {
    it(`is read as it was written: ${says}`, () => {
      const sharer = new TextSharer();
      const read = readSharedText(sharer.share(text));
      assert.ok(read === text);
    });
  }

  it('is as long with a half of a letter in it', () => {
    assert.equal(readSharedText(new TextSharer().share('a\ud800b')), 'a\ufffdb');
  });

  it('is written once for all who read it at the same time', () => {
    const sharer = new TextSharer();
    assert.equal(sharer.share('text'), sharer.share('text'));
  });

  it('is not overwritten while somebody may still read it', () => {
    const sharer = new TextSharer();
    const [first, again] = [sharer.share('first'), sharer.share('first')];
    sharer.release(first);
    const second = sharer.share('second');
    assert.deepEqual([readSharedText(again), readSharedText(second)], ['first', 'second']);
    sharer.release(again);
    sharer.share('third');
    assert.equal(readSharedText(second), 'second');
  });

  it('takes the place of one that nobody reads any more, whatever was there', () => {
    const sharer = new TextSharer();
    const first = sharer.share('x'.repeat(1_000));
    sharer.release(first);
    const second = sharer.share('€');
    assert.equal(second.memory, first.memory);
    assert.equal(readSharedText(second), '€');
  });

  it('gets more room when it needs it', () => {
    const sharer = new TextSharer();
    sharer.release(sharer.share('short'));
    const long = '€'.repeat(1_000);
    assert.equal(readSharedText(sharer.share(long)), long);
  });
});
