import assert from 'node:assert/strict';
import * as path from 'node:path';
import { isInsideFolder } from '../../../../src/base/node/isInsideFolder';

describe('a path below a folder', () => {
  for (const [file, folder, expected] of [
    ['/ws/a', '/ws', true],
    ['/ws/..a/b', '/ws', true],
    ['/ws', '/ws', false],
    ['/wsx/a', '/ws', false],
    ['/ws/../a', '/ws', false],
    ['/', '/ws', false],
  ] as const) {
    it(`is told by whole names: ${file} in ${folder}`, () => assert.equal(isInsideFolder(file, folder), expected));
  }

  for (const [file, expected] of [
    ['C:\\ws\\a', true],
    ['c:\\WS\\..a', true],
    ['D:\\ws\\a', false],
    ['C:\\wsx', false],
  ] as const) {
    it(`is told by the rules of the system that is named: ${file}`, () =>
      assert.equal(isInsideFolder(file, 'C:\\ws', path.win32), expected));
  }
});
