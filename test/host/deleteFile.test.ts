import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { deleteFile } from '../../src/chat/vscode/review/deleteFile';
import { AdapterUnderTest, editorError } from './support/editorAdapter';
import { inWorkspace, writeInWorkspace } from './support/workspace';

describe('deleting a file that an agent has made', () => {
  let subject: AdapterUnderTest;
  before(() => (subject = new AdapterUnderTest()));
  afterEach(() => rm(inWorkspace('made'), { recursive: true, force: true }));
  after(() => subject.dispose());

  const remove = (path: string) => deleteFile(subject.adapter, path, { protectedFiles: 'refuse' });

  it('removes the folders that are empty without it, up to one that is not', async () => {
    await writeInWorkspace('made/kept.txt', 'mine');
    await remove(await writeInWorkspace('made/by/agent/a.txt', 'a'));
    assert.ok(!existsSync(inWorkspace('made/by')));
    assert.ok(existsSync(inWorkspace('made/kept.txt')));
    await remove(inWorkspace('made/kept.txt'));
    assert.ok(!existsSync(inWorkspace('made')));
    assert.ok(existsSync(inWorkspace('')));
  });

  it('leaves a folder with an empty folder or a link in it', async () => {
    await mkdir(inWorkspace('made/a/empty'), { recursive: true });
    await mkdir(inWorkspace('made/b'));
    await symlink('nowhere', inWorkspace('made/b/link'));
    for (const name of ['made/a/1.txt', 'made/b/1.txt']) await remove(await writeInWorkspace(name, '1'));
    assert.ok(existsSync(inWorkspace('made/a/empty')));
    assert.ok(existsSync(inWorkspace('made/b')));
  });

  it('leaves the folders when the file is protected', async () => {
    const file = await writeInWorkspace('made/.vscode/settings.json', '{}');
    await assert.rejects(remove(file), editorError('protected'));
    assert.ok(existsSync(file));
  });
});
