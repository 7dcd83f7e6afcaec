import assert from 'node:assert/strict';
import { ExcludeList } from '../../../../src/editor/common/excludeList';
import { PathGuard } from '../../../../src/editor/node/pathGuard';
import { isOrdinaryWindowsPath } from '../../../../src/editor/node/windowsPath';

const folders = ['C:\\ws', '\\\\files\\team\\ws'];
const refused = [
  // Other machines
  '\\\\server\\share\\a.ts',
  '//server/share/a.ts',
  '\\/server\\share',
  '\\\\server',
  '\\\\files\\team\\other\\a.ts',
  '\\\\files\\team\\ws\\..\\other\\a.ts',
  '\\\\server@SSL@8443\\DavWWWRoot\\a.ts',
  // Devices, and paths that Windows does not normalise
  '\\\\.\\pipe\\agent',
  '\\\\.\\C:\\ws\\a.ts',
  '\\\\?\\C:\\ws\\a.ts',
  '//?/UNC/server/share/a.ts',
  '\\??\\C:\\ws\\a.ts',
  'C:\\ws\\CON',
  'C:/ws/nul',
  'aux.ts',
  'src\\com1',
  'src/LPT9 .txt',
  'C:\\ws\\conin$',
  // Names that some calls cut short
  'C:\\ws\\package.json.',
  'C:\\ws\\package.json ',
  '.vscode \\tasks.json',
  'src\\...',
  // Streams of files, and places relative to a drive
  'C:\\ws\\key.pem::$DATA',
  'key.pem:stream',
  'C:a.ts',
  'D:',
];
const ordinary = [
  'C:\\ws\\a.ts',
  'c:/ws/src/a.ts',
  'D:\\elsewhere\\a.ts',
  '\\ws\\a.ts',
  'src\\a.ts',
  '.',
  '..\\a.ts',
  '\\\\files\\team\\ws\\src\\a.ts',
  '//FILES/team/ws/src/a.ts',
  'src\\console.ts',
  'src\\nullable.ts',
  'src\\auxiliary\\com10.ts',
];

describe('a path on Windows', () => {
  for (const path of refused) {
    it(`is not asked about: ${path}`, () => assert.equal(isOrdinaryWindowsPath(path, folders), false));
  }
  for (const path of ordinary) {
    it(`is an ordinary one: ${path}`, () => assert.equal(isOrdinaryWindowsPath(path, folders), true));
  }

  it('of another machine or a device is outside of the workspace, before any file is asked for', async () => {
    // Read by this system, each of them would be a name in the folder.
    const guard = new PathGuard({
      folders: () => [process.cwd()],
      exclude: () => new ExcludeList([]),
      isWindows: true,
    });
    for (const path of refused.filter((name) => !name.startsWith('/'))) {
      await assert.rejects(guard.check(path), { name: 'EditorError', code: 'outsideWorkspace' }, path);
    }
  });
});
