import * as assert from 'node:assert/strict';
import { ampLockfileFolder } from '../../../../src/amp/node/lockfileFolder';

describe('ampLockfileFolder', () => {
  it('is below ~/.local/share on every system', () => {
    assert.equal(ampLockfileFolder('linux', {}, '/home/me'), '/home/me/.local/share/amp/ide');
    assert.equal(ampLockfileFolder('darwin', {}, '/Users/me'), '/Users/me/.local/share/amp/ide');
    assert.equal(ampLockfileFolder('win32', {}, 'C:\\Users\\me'), 'C:\\Users\\me\\.local\\share\\amp\\ide');
  });

  it('is below an absolute XDG_DATA_HOME on Linux only', () => {
    const env = { XDG_DATA_HOME: '/data' };
    assert.equal(ampLockfileFolder('linux', env, '/home/me'), '/data/amp/ide');
    assert.equal(ampLockfileFolder('darwin', env, '/Users/me'), '/Users/me/.local/share/amp/ide');
    for (const XDG_DATA_HOME of ['', 'relative', '~/data']) {
      assert.equal(ampLockfileFolder('linux', { XDG_DATA_HOME }, '/home/me'), '/home/me/.local/share/amp/ide');
    }
  });
});
