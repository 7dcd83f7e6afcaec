import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/node/systemClock';
import { FileTexts } from '../../src/chat/common/changes/fileTexts';
import { UndoJournal } from '../../src/chat/common/restore/undoJournal';
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

  it('leaves a notebook with unsaved cells, which are saved before an undo', async () => {
    const { adapter } = subject;
    const cell = { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: ['one'] };
    const contents = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const file = await writeInWorkspace('made/a.ipynb', contents);
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(file));
    await vscode.window.showNotebookDocument(notebook);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(notebook.cellAt(0).document.uri, new vscode.Position(0, 0), 'mine ');
    await vscode.workspace.applyEdit(edit);
    assert.equal((await adapter.stat(file)).isDirty, true);
    await assert.rejects(remove(file), editorError('dirty'));
    assert.equal(notebook.isDirty, true);
    const texts = new Map<string, string>();
    const blobs = {
      idOf: (text: string) => `id of ${text}`,
      putText: (text: string) => {
        texts.set(`id of ${text}`, text);
        return Promise.resolve(`id of ${text}`);
      },
      getText: (id: string) => Promise.resolve(texts.get(id)),
    };
    const journal = new UndoJournal({
      checkpoints: undefined,
      clock: systemClock,
      conversation: 'one',
      deleteFile: (path, options) => deleteFile(adapter, path, options),
      editor: adapter,
      fileTexts: new FileTexts({ editor: adapter, readDiskText: () => Promise.resolve(undefined) }, blobs),
      record: () => undefined,
      remainingChanges: () => [],
    });
    const id = await journal.begin([file], undefined);
    assert.equal(notebook.isDirty, false);
    assert.match([...texts.values()].join(), /mine one/);
    assert.equal(await journal.isAsSaved(id, file), true);
    await remove(file);
    assert.ok(!existsSync(file));
  });
});
