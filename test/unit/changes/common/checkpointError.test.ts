import assert from 'node:assert/strict';
import { CheckpointError, isCheckpointError } from '../../../../src/changes/common/checkpointError';

describe('isCheckpointError', () => {
  it('knows the error of another bundle by its name, and no other error or object', () => {
    const ofOtherBundle = Object.assign(new Error('x'), { name: 'CheckpointError' });
    assert.equal(isCheckpointError(new CheckpointError('noGit', 'x')), true);
    assert.equal(isCheckpointError(ofOtherBundle), true);
    assert.equal(isCheckpointError(new Error('CheckpointError')), false);
    assert.equal(isCheckpointError({ name: 'CheckpointError' }), false);
  });
});
