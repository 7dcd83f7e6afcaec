import assert from 'node:assert/strict';
import { isNewerVersion } from '../../../../../src/agents/common/page/newerVersion';

describe('a newer version', () => {
  const ascending = ['1.0.0-2', '1.0.0-10', '1.0.0-beta', '1.0.0-beta.2', '1.0.0', '1.0.2', '1.0.10', '1.2.0', '2.0.0'];

  it('is one that comes later in semantic versioning', () => {
    for (const [index, version] of ascending.entries()) {
      for (const [otherIndex, other] of ascending.entries()) {
        assert.equal(isNewerVersion(version, other), index > otherIndex, `${version} after ${other}`);
      }
    }
  });

  it('is not one with another build', () => assert.equal(isNewerVersion('1.0.0+b', 'v1.0.0+a'), false));

  it('is any other one where the form is unknown', () => {
    assert.equal(isNewerVersion('2026-11', '2026-10'), true);
    assert.equal(isNewerVersion('latest', 'latest'), false);
  });
});
