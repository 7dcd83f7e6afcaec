import assert from 'node:assert/strict';
import {
  requireValidPath,
  isAbsolutePath,
  isInside,
  isUri,
  innermostFolder,
  relativePathIn,
  withForwardSlashes,
} from '../../../../src/editor/common/boundary';

describe('isInside', () => {
  for (const [path, folder, expected] of [
    ['/a/b/c', '/a/b', true],
    ['/a/b', '/a/b', true],
    ['/a/b/', '/a/b', true],
    ['/a/b/c', '/a/b/', true],
    ['/a/bc', '/a/b', false],
    ['/a/b.txt', '/a/b', false],
    ['/a', '/a/b', false],
    ['/A/b/c', '/a/b', false],
    ['/a/b\\c', '/a/b', false],
    ['/x', '/', true],
    ['C:\\a\\b', 'C:\\a', true],
    ['C:\\a\\b', 'C:\\', true],
    ['C:\\ab', 'C:\\a', false],
    ['D:\\a\\b', 'C:\\a', false],
    ['\\\\host\\share\\a', '\\\\host\\share', true],
  ] as const) {
    it(`${path} is ${expected ? '' : 'not '}inside ${folder}`, () => {
      assert.equal(isInside(path, folder, false), expected);
    });
  }

  it('ignores case only if the system does', () => {
    assert.equal(isInside('c:\\A\\b', 'C:\\a', true), true);
    assert.equal(isInside('c:\\A\\b', 'C:\\a', false), false);
  });
});

describe('relativeTo', () => {
  it('gives the tail below the folder', () => {
    assert.equal(relativePathIn('/a/b/c.txt', '/a', false), 'b/c.txt');
    assert.equal(relativePathIn('C:\\a\\b\\c.txt', 'c:\\A', true), 'b\\c.txt');
    assert.equal(relativePathIn('/a', '/a', false), '');
    assert.equal(relativePathIn('/b', '/a', false), undefined);
  });
});

describe('nearestFolder', () => {
  it('is the deepest of nested folders, in any order', () => {
    assert.equal(innermostFolder('/a/b/c', ['/a', '/a/b', '/x'], false), '/a/b');
    assert.equal(innermostFolder('/a/b/c', ['/a/b', '/a'], false), '/a/b');
    assert.equal(innermostFolder('/y', ['/a/b', '/a'], false), undefined);
  });
});

describe('requireValidPath', () => {
  for (const path of ['', '/a\0b', '/\ud800', 'x'.repeat(4097)]) {
    it(`refuses ${JSON.stringify(path.slice(0, 10))}`, () =>
      assert.throws(() => requireValidPath(path), { code: 'invalidPath' }));
  }
});

describe('the look of a path', () => {
  it('tells a URI', () => {
    for (const path of ['file:///a', 'FILE:/a', 'https://a/b', 'vscode-remote://x']) assert.equal(isUri(path), true);
    for (const path of ['/file:/a', 'C:\\a', 'c:/a', 'a:b', 'a/b://c', '']) assert.equal(isUri(path), false, path);
  });

  it('tells an absolute one', () => {
    for (const path of ['/a', 'C:\\a', 'c:/a', '\\\\host\\share']) assert.equal(isAbsolutePath(path), true, path);
    for (const path of ['a', './a', '../a', 'C:a', '~/a', '']) assert.equal(isAbsolutePath(path), false, path);
  });

  it('tells whether a backslash separates or is a letter', () => {
    assert.equal(withForwardSlashes('C:\\a\\b/c'), 'C:/a/b/c');
    assert.equal(withForwardSlashes('/a/b\\c'), '/a/b\\c');
  });
});
