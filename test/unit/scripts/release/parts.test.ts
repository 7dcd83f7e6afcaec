import assert from 'node:assert/strict';
import { readRelease } from '../../../../scripts/lib/release/changelog.mjs';
import { checksumsText } from '../../../../scripts/lib/release/checksums.mjs';
import { takeTokens } from '../../../../scripts/lib/release/tokens.mjs';
import { versionProblems } from '../../../../scripts/lib/release/version.mjs';
import { manifestOfVsix } from '../../../../scripts/lib/release/vsixManifest.mjs';
import { zipOf } from './zip';

const changelog = `# Changelog

## Unreleased

## 0.2.0 - 2026-11-22

### Added

- **Chat**: a panel. See ## 0.1.0 in words.

## 0.1.0 - 2026-10-01

- The first.
`;

describe('the notes of a release', () => {
  it("are the version's section of the changelog without its heading", () => {
    const notes = '### Added\n\n- **Chat**: a panel. See ## 0.1.0 in words.';
    assert.deepEqual(readRelease(changelog, '0.2.0'), { notes, date: '2026-11-22', problems: [] });
    assert.equal(readRelease(changelog.replaceAll('\n', '\r\n'), '0.2.0').notes, notes);
    assert.deepEqual(readRelease(changelog.replace('0.2.0 -', '[0.2.0] -'), '0.2.0').problems, []);
  });

  it('reach to the end for the last version', () => {
    assert.equal(readRelease(changelog, '0.1.0').notes, '- The first.');
  });

  it('need a heading of exactly that version', () => {
    for (const version of ['0.3.0', '0.2', '2.0', '10.2.0']) {
      assert.match(readRelease(changelog, version).problems.join(), /has no "## /, version);
    }
  });

  it('need a date that there is', () => {
    for (const date of ['2026-02-30', '2026-13-01', '22.11.2026', 'today']) {
      assert.match(readRelease(changelog.replace('2026-11-22', date), '0.2.0').problems.join(), /as the date/, date);
    }
    assert.match(readRelease(changelog.replace(' - 2026-11-22', ''), '0.2.0').problems.join(), /no date for 0\.2\.0/);
  });

  it('need words, and be on top', () => {
    assert.match(readRelease('## 0.2.0 - 2026-11-22\n\n## 0.1.0', '0.2.0').problems.join(), /says nothing/);
    assert.match(readRelease(changelog, '0.1.0').problems.join(), /has 0\.2\.0 - 2026-11-22 above 0\.1\.0/);
  });

  it('leave nothing under Unreleased; headings alone are nothing', () => {
    const filled = changelog.replace('## Unreleased\n', '## Unreleased\n\n### Fixed\n\n- A thing.\n');
    assert.match(readRelease(filled, '0.2.0').problems.join(), /something under Unreleased/);
    const empty = changelog.replace('## Unreleased\n', '## Unreleased\n\n### Fixed\n');
    assert.deepEqual(readRelease(empty, '0.2.0').problems, []);
  });
});

describe('the version of a release', () => {
  const release = { version: '0.2.0', tag: 'v0.2.0', tags: ['v0.2.0', 'nightly'], isDryRun: false };

  it('is the one of the tag', () => {
    assert.deepEqual(versionProblems(release), []);
    assert.match(versionProblems({ ...release, tag: 'v0.3.0' }).join(), /v0\.3\.0 is not the version/);
    assert.match(versionProblems({ ...release, tags: ['v0.2.0', 'v0.1.9'] }).join(), /is tagged v0\.1\.9/);
  });

  it('needs its tag, but for a dry run, which comes before', () => {
    assert.match(versionProblems({ ...release, tags: [] }).join(), /git tag v0\.2\.0/);
    assert.deepEqual(versionProblems({ ...release, tag: undefined, tags: [], isDryRun: true }), []);
  });

  it('is three numbers', () => {
    for (const version of ['0.2', '0.2.0-beta.1', 'v0.2.0', '0.02.0', '']) {
      assert.match(versionProblems({ ...release, version, tag: undefined }).join(), /three numbers/, version);
    }
  });
});

describe('the tokens of a release', () => {
  it('are taken out of the environment, which nothing but them leaves', () => {
    const env = { PATH: '/bin', A_TOKEN: 'secret', OTHER: 'x' };
    assert.deepEqual(takeTokens(env, [{ token: 'A_TOKEN' }, { token: 'B_TOKEN' }]), { A_TOKEN: 'secret' });
    assert.deepEqual(env, { PATH: '/bin', OTHER: 'x' });
  });
});

describe('the checksums of a release', () => {
  it('are lines as sha256sum reads them, sorted by name', () => {
    const text = checksumsText(
      new Map([
        ['b.vsix', Buffer.from('abc')],
        ['a.txt', Buffer.alloc(0)],
      ]),
    );
    assert.equal(
      text,
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.txt\n' +
        'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b.vsix\n',
    );
  });
});

describe('the manifest in a package', () => {
  const manifest = { publisher: 'backline', name: 'backline', version: '0.2.0' };

  it('is read wherever it is in the archive', () => {
    const files = {
      'extension.vsixmanifest': '<xml/>',
      'extension/package.json': JSON.stringify(manifest),
      'extension/z': 'z',
    };
    assert.deepEqual(manifestOfVsix(zipOf(files)), manifest);
  });

  it('is missing from what is no package', () => {
    for (const bytes of [
      Buffer.from('not a zip'),
      zipOf({ 'a.txt': 'a' }),
      zipOf({ 'extension/package.json': '{}' }),
    ]) {
      assert.throws(() => manifestOfVsix(bytes), /no package of an extension/);
    }
  });
});
