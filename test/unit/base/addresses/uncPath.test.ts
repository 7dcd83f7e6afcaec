import assert from 'node:assert/strict';
import { isRemotePath, isUncPath } from '../../../../src/base/common/addresses/uncPath';

describe('a path on another machine', () => {
  const remote = ['\\\\server\\share', '//server/share', '\\/server', '\\\\?\\UNC\\server', '\\\\?\\share\\a'];
  const longLocal = ['\\\\?\\C:\\a', '//./d:/a', '\\\\.\\C:'];
  const local = ['C:\\a', '/a//b', 'a', '', '\\a'];

  it('begins with two slashes of any kind', () => {
    for (const path of [...remote, ...longLocal]) assert.ok(isUncPath(path), path);
    for (const path of local) assert.ok(!isUncPath(path), path);
  });

  it('is no long path of this machine', () => {
    for (const path of remote) assert.ok(isRemotePath(path), path);
    for (const path of [...local, ...longLocal]) assert.ok(!isRemotePath(path), path);
  });
});
