import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { listProcesses } from '../../scripts/lib/processes.mjs';
import { VsCodeWindow } from './support/window';

describe('a window that cannot be opened', () => {
  const chosen = process.env['BACKLINE_CHROMIUM'];
  afterEach(() => {
    if (chosen === undefined) delete process.env['BACKLINE_CHROMIUM'];
    else process.env['BACKLINE_CHROMIUM'] = chosen;
  });

  it('leaves neither a VS Code server nor a folder behind', async () => {
    process.env['BACKLINE_CHROMIUM'] = '/nowhere/chromium';
    let folder = '';
    const opening = VsCodeWindow.open({
      prepare: (sandbox) => {
        folder = sandbox.folder;
        return Promise.resolve();
      },
    });
    await assert.rejects(opening, /\/nowhere\/chromium/);
    const children = (await listProcesses()).filter(({ parent }) => parent === process.pid);
    assert.deepEqual(children, []);
    assert.equal(existsSync(folder), false);
  });
});
