import assert from 'node:assert/strict';
import { describeFileStates } from '../../../../src/chat/common/restore/describeFileStates';

const state = (bytes: number, kind: 'file' | 'executable' | 'symlink' = 'file') => ({ kind, object: '1', bytes });

describe('the text of a change without texts', () => {
  it('has kind and size of both sides', () => {
    const texts = [
      describeFileStates({ before: undefined, after: state(1) }),
      describeFileStates({ before: state(2_000), after: undefined }),
      describeFileStates({ before: state(20), after: state(20, 'executable') }),
      describeFileStates({ before: state(20 * 1024), after: state(3 * 1024 * 1024) }),
      describeFileStates({ before: state(20), after: state(4, 'symlink') }),
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
