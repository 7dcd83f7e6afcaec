import assert from 'node:assert/strict';
import {
  connectionError,
  diskError,
  InstallError,
  isInstallError,
  httpStatusError,
} from '../../../../../src/agents/common/install/installError';

describe('an error of an installation', () => {
  it('is known by its name, since every bundle has a class of its own', () => {
    const other = Object.assign(new Error('x'), { name: 'InstallError', code: 'offline' });
    assert.ok(isInstallError(other) && isInstallError(new InstallError('offline', 'x')));
    for (const error of [new Error('x'), Object.assign(new Error('x'), { name: 'InstallError' }), undefined, 'offline'])
      assert.ok(!isInstallError(error));
  });

  it('says in a sentence what the disk, the network or the server means, and what to do', () => {
    const errors = [
      diskError('ENOSPC'),
      diskError('EDQUOT'),
      diskError('EACCES'),
      diskError('EROFS'),
      connectionError('ENOTFOUND', 'e.com'),
      connectionError('ECONNRESET', 'e.com'),
      connectionError('EIDLETIMEOUT', 'e.com'),
      ...[401, 404, 407, 500].map((status) => httpStatusError(status, 'e.com')),
    ];
    for (const error of errors) {
      assert.match(error?.message ?? '', /^[A-Ze][^\n]+\.$/);
      assert.match(error?.advice ?? '', /^[A-Z][^\n]+\.$/);
    }
    const codes = [
      'diskFull',
      'diskFull',
      'permissionDenied',
      'permissionDenied',
      'offline',
      'connectionLost',
      'stalled',
    ];
    const answers = ['notFound', 'notFound', 'proxyNeedsSignIn', 'serverError'];
    assert.deepEqual(
      errors.map((error) => error?.code),
      [...codes, ...answers],
    );
  });

  it('is none for other codes', () => {
    assert.equal(diskError('ENOENT'), undefined);
    assert.equal(connectionError(undefined, 'e.com'), undefined);
  });
});
