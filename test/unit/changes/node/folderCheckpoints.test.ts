import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { systemClock } from '../../../../src/base/node/systemClock';
import { nullLogger } from '../../../../src/base/common/log';
import { FolderCheckpoints } from '../../../../src/changes/node/folderCheckpoints';
import { gitIn, TestWorkspace } from '../support/workspace';

const decode = (bytes: Uint8Array): Promise<string> =>
  Promise.resolve(new TextDecoder('utf-8', { fatal: true }).decode(bytes));

describe('FolderCheckpoints', () => {
  let workspace: TestWorkspace;
  let second: string;
  let checkpoints: FolderCheckpoints;
  const { signal } = new AbortController();
  beforeEach(() => {
    workspace = new TestWorkspace();
    second = `${workspace.root}/second`;
    mkdirSync(second);
    checkpoints = open();
  });
  afterEach(async () => {
    await checkpoints.stop();
    await workspace.dispose();
  });

  function open(options: { searchPath?: string } = {}): FolderCheckpoints {
    return new FolderCheckpoints({
      folders: () => [workspace.folder, second],
      storageFolder: workspace.storage,
      excludes: (_path, relativePath) => relativePath === '.env',
      decode,
      retention: () => ({ maxAgeMs: 1e9, maxBytes: 1e9 }),
      log: nullLogger,
      clock: systemClock,
      ...options,
    });
  }

  const changedSince = async (folders: Parameters<FolderCheckpoints['changedSince']>[0]): Promise<string[]> =>
    (await checkpoints.changedSince(folders)).map(({ path }) => path).sort();

  it('names changed files of all folders by absolute paths, a renamed one twice', async () => {
    const long = 'a text that is long enough to be known again\n'.repeat(9);
    workspace.write({ 'a.txt': 'a\n', 'old name.txt': long, '.env': 'KEY=1', '../second/b.txt': 'b\n' });
    const { folders, problems } = await checkpoints.take('first', signal);
    assert.deepEqual(problems, []);
    workspace.write({ 'a.txt': 'A\n', 'new 名.txt': long, '.env': 'KEY=2', '../second/c.txt': 'c\n' });
    workspace.remove('old name.txt', '../second/b.txt');
    assert.deepEqual(await changedSince(folders), [
      `${second}/b.txt`,
      `${second}/c.txt`,
      `${workspace.folder}/a.txt`,
      `${workspace.folder}/new 名.txt`,
      `${workspace.folder}/old name.txt`,
    ]);
    const texts = await checkpoints.textsBefore(await checkpoints.changedSince(folders));
    assert.equal(texts.get(`${workspace.folder}/a.txt`), 'a\n');
    assert.equal(texts.get(`${second}/b.txt`), 'b\n');
    assert.equal(texts.get(`${second}/c.txt`), null);
  });

  it('has no text of what is no text: bytes, a link, a large file', async () => {
    workspace.write({ 'bytes.bin': Uint8Array.of(0xff, 0xfe, 0xff), 'large.txt': 'x'.repeat(5 * 1024 * 1024 + 1) });
    symlinkSync('bytes.bin', workspace.file('link'));
    const { folders } = await checkpoints.take('first', signal);
    workspace.remove('bytes.bin', 'link', 'large.txt');
    const texts = await checkpoints.textsBefore(await checkpoints.changedSince(folders));
    assert.deepEqual([...texts.values()], [undefined, undefined, undefined]);
  });

  it('says what users may miss: nested repositories, but nothing that is ignored or excluded', async () => {
    workspace.write({ '.gitignore': 'ignored/\n', 'ignored/a': 'a', '.env': 'KEY=1', 'nested/a.txt': 'a' });
    gitIn(workspace.file('nested'), 'init', '-q');
    const { uncovered } = await checkpoints.take('first', signal);
    assert.deepEqual(uncovered, [`${workspace.folder}/nested/`]);
  });

  it('keeps a folder where the other one fails, and says why once', async () => {
    await checkpoints.stop();
    checkpoints = open({ searchPath: '/nowhere' });
    const { folders, problems } = await checkpoints.take('first', signal);
    assert.deepEqual(folders, []);
    assert.deepEqual(problems, ['Git is not installed. Install Git to track all changes.']);
  });

  it('leaves no checkpoint behind when it only prepares', async () => {
    workspace.write({ 'a.txt': 'a\n' });
    await checkpoints.prepare();
    const { folders } = await checkpoints.take('first', signal);
    workspace.write({ 'a.txt': 'A\n' });
    assert.deepEqual(await changedSince(folders), [`${workspace.folder}/a.txt`]);
  });

  it('ends with the signal of the caller', async () => {
    await assert.rejects(checkpoints.take('first', AbortSignal.abort(new Error('stopped'))), /stopped/);
  });
});
