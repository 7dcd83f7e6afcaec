import * as assert from 'node:assert/strict';
import { ampLockfileFolders } from '../../../../src/amp/node/lockfileFolder';

describe('ampLockfileFolders', () => {
  it('are below ~/.local/share on every system', () => {
    assert.deepEqual(ampLockfileFolders('linux', {}, '/home/me'), ['/home/me/.local/share/amp/ide']);
    assert.deepEqual(ampLockfileFolders('darwin', {}, '/Users/me'), ['/Users/me/.local/share/amp/ide']);
    assert.deepEqual(ampLockfileFolders('win32', {}, 'C:\\Users\\me'), ['C:\\Users\\me\\.local\\share\\amp\\ide']);
  });

  it('are below an absolute XDG_DATA_HOME too, on Linux only', () => {
    const env = { XDG_DATA_HOME: '/data' };
    assert.deepEqual(ampLockfileFolders('linux', env, '/home/me'), ['/data/amp/ide', '/home/me/.local/share/amp/ide']);
    const same = { XDG_DATA_HOME: '/home/me/.local/share/' };
    assert.equal(ampLockfileFolders('linux', same, '/home/me').length, 1);
    assert.deepEqual(ampLockfileFolders('darwin', env, '/Users/me'), ['/Users/me/.local/share/amp/ide']);
    for (const XDG_DATA_HOME of ['', 'relative', '~/data']) {
      assert.deepEqual(ampLockfileFolders('linux', { XDG_DATA_HOME }, '/home/me'), ['/home/me/.local/share/amp/ide']);
    }
  });
});
