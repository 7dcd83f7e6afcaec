import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { lockfiles } from '../host/support/ampClient';
import { eventually } from '../support/eventually';
import { runExampleClient } from './support/exampleClient';
import { VsCodeWindow } from './support/window';

describe('Amp in a workspace of several folders', () => {
  let window: VsCodeWindow;
  const second = (): string => path.join(window.sandbox.folder, 'second');

  before(async () => {
    window = await VsCodeWindow.open({
      workspaceFile: 'both.code-workspace',
      prepare: async ({ folder }) => {
        await mkdir(path.join(folder, 'second'));
        await writeFile(path.join(folder, 'second', 'only-here.txt'), 'in the second folder\n');
        const content = { folders: [{ path: 'workspace' }, { path: 'second' }] };
        await writeFile(path.join(folder, 'both.code-workspace'), JSON.stringify(content));
      },
    });
    await window.waitForStatus(/Serving on 127\.0\.0\.1:\d+/);
  });

  after(() => window.close());

  it('names each folder in the one lockfile', async () => {
    await eventually('both folders', async () => {
      const all = await lockfiles(window.sandbox.home);
      assert.deepEqual(
        all.map(({ workspaceFolders }) => workspaceFolders),
        [[window.sandbox.workspace, second()]],
      );
    });
  });

  it('serves the files of each', async () => {
    const read = (file: string): Promise<string> => runExampleClient(window.sandbox, 'readFile', file);
    // A window that is busy gives requests up, in words that ask to try again.
    await eventually('both files', async () => {
      assert.equal(await read(path.join(second(), 'only-here.txt')), 'in the second folder\n');
      assert.notEqual(await read(path.join(window.sandbox.workspace, 'README.md')), '');
    });
  });
});
