import assert from 'node:assert/strict';
import { constants } from 'node:fs';
import { openFlags, openFlagsOf } from '../../../../src/base/node/openFlags';

describe('the flags to open files with', () => {
  it('are those of the system', () => {
    assert.equal(openFlags.O_CREAT, constants.O_CREAT);
    assert.equal(openFlags.O_NOFOLLOW | openFlags.O_RDONLY, constants.O_NOFOLLOW);
  });

  it('are nothing where the system has none, as Windows has no O_NOFOLLOW', () => {
    const windows = { O_RDONLY: 0, O_WRONLY: 1, O_CREAT: 256, O_EXCL: 1024 };
    assert.deepEqual(openFlagsOf(windows), { ...windows, O_DIRECTORY: 0, O_NOFOLLOW: 0, O_NONBLOCK: 0 });
  });
});
