import assert from 'node:assert/strict';
import { isAtOrBelow, isValidUtf8Name, joinNul, splitNul } from '../../../../src/changes/common/nameList';

describe('isAtOrBelow', () => {
  it('finds a file only by its own name', () => {
    assert.equal(isAtOrBelow('a/b', 'a/b'), true);
    assert.equal(isAtOrBelow('a/b/c', 'a/b'), false);
    assert.equal(isAtOrBelow('a', 'a/b'), false);
  });

  it('finds a folder that ends with a slash, and all inside it', () => {
    assert.equal(isAtOrBelow('a/b', 'a/b/'), true);
    assert.equal(isAtOrBelow('a/b/c', 'a/b/'), true);
    assert.equal(isAtOrBelow('a/bc', 'a/b/'), false);
  });
});

describe('names from Git', () => {
  it('are split and joined at NUL', () => {
    assert.deepEqual(splitNul(Buffer.from('a\0b c\0')), ['a', 'b c']);
    assert.deepEqual(splitNul(Buffer.from('a\0b')), ['a', 'b']);
    assert.equal(joinNul(['a', 'b c']), 'a\0b c\0');
  });

  it('are no text if they are not UTF-8', () => {
    const [name = ''] = splitNul(Buffer.from([0x61, 0xff, 0]));
    assert.equal(isValidUtf8Name(name), false);
    assert.equal(isValidUtf8Name('日本'), true);
  });
});
