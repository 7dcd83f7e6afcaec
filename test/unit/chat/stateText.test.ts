import assert from 'node:assert/strict';
import { stateText } from '../../../src/chat/common/restore/stateText';

const state = (bytes: number, kind: 'file' | 'executable' | 'symlink' = 'file') => ({ kind, object: '1', bytes });

describe('the text of a change without texts', () => {
  it('has kind and size of both sides', () => {
    const texts = [
      stateText({ before: undefined, after: state(1) }),
      stateText({ before: state(2_000), after: undefined }),
      stateText({ before: state(20), after: state(20, 'executable') }),
      stateText({ before: state(20 * 1024), after: state(3 * 1024 * 1024) }),
      stateText({ before: state(20), after: state(4, 'symlink') }),
    ];
    assert.deepEqual(texts, [
      'no file before, file of 1 byte after',
      'file of 2.0 KB before, no file after',
      'file of 20 bytes before, executable file of 20 bytes after',
      'file of 20 KB before, file of 3.0 MB after',
      'file of 20 bytes before, symbolic link after',
    ]);
  });
});
