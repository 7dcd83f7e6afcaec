import * as assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { FakeEditor } from '../../../fake/fakeEditor';
import { AmpHarness } from './support/ampHarness';

describe('the example client', () => {
  let harness: AmpHarness;
  let editor: FakeEditor;

  beforeEach(async () => {
    editor = new FakeEditor({ '/ws/README.md': '# Saved ü\n' });
    harness = await AmpHarness.start(editor);
  });

  afterEach(() => harness.close());

  const run = (...args: string[]): Promise<{ stdout: string; stderr: string }> => runWith({}, ...args);

  const runWith = (env: Record<string, string>, ...args: string[]): Promise<{ stdout: string; stderr: string }> =>
    promisify(execFile)(process.execPath, ['examples/amp-client/client.mjs', ...args], {
      env: { ...process.env, XDG_DATA_HOME: '', HOME: harness.home, ...env },
      timeout: 30_000,
    });

  it('finds the editor by its lockfile and reads the unsaved text of a file', async () => {
    editor.type('/ws/README.md', '# Unsaved ü\n');
    assert.equal((await run('readFile', 'README.md')).stdout, '# Unsaved ü\n');
  });

  it('edits by byte offsets', async () => {
    const start = Buffer.byteLength('# Saved ');
    await run('edit', 'README.md', String(start), String(start + Buffer.byteLength('ü')), 'u');
    assert.equal(editor.diskText('/ws/README.md'), '# Saved u\n');
  });

  it('reports which editor it took, apart from the answer', async () => {
    const { stdout, stderr } = await run('readFile', 'README.md');
    assert.equal(stdout, '# Saved ü\n');
    assert.match(stderr, /^Connected to .+ at port \d+: \/ws$/m);
  });

  it('looks where XDG_DATA_HOME says too, and names the variable when there is nothing', async () => {
    const elsewhere = { XDG_DATA_HOME: path.join(harness.home, '.local', 'share'), HOME: '/nonexistent' };
    assert.equal((await runWith(elsewhere, 'readFile', 'README.md')).stdout, '# Saved ü\n');
    const nowhere = { XDG_DATA_HOME: '/nowhere', HOME: '/nonexistent' };
    await assert.rejects(runWith(nowhere, 'readFile', 'README.md'), /XDG_DATA_HOME is \/nowhere/u);
  });

  it('fails with what the editor says', async () => {
    await assert.rejects(run('readFile', '/etc/passwd'), /outside the workspace/u);
  });
});
