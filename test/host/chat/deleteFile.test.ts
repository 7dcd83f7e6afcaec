import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import { systemClock } from '../../../src/base/node/systemClock';
import { FileTexts } from '../../../src/chat/common/changes/fileTexts';
import { UndoJournal } from '../../../src/chat/common/restore/undoJournal';
import { deleteFile } from '../../../src/chat/vscode/review/deleteFile';
import { until } from '../../support/eventually';
import { AdapterUnderTest, editorError } from '../support/editorAdapter';
import { inWorkspace, writeInWorkspace } from '../support/workspace';
import { untoldWrites } from '../../unit/chat/support/untoldWrites';

describe('deleting a file that an agent has made', () => {
  let subject: AdapterUnderTest;
  before(() => (subject = new AdapterUnderTest()));
  afterEach(async () => {
    await rm(inWorkspace('linked-made'), { force: true });
    await rm(inWorkspace('made'), { recursive: true, force: true });
  });
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
      undoWrites: untoldWrites,
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

  it('leaves a file with unsaved changes in a custom editor, which neither an edit nor a save takes away', async () => {
    const { adapter } = subject;
    const file = await writeInWorkspace('made/a.testbytes', 'saved');
    // The user has opened it by another path than the agent names.
    await symlink(inWorkspace('made'), inWorkspace('linked-made'));
    const opened = vscode.Uri.file(inWorkspace('linked-made/a.testbytes'));
    await vscode.commands.executeCommand('vscode.openWith', opened, 'customEditorTest.bytes');
    await vscode.commands.executeCommand('customEditorTest.change', 'mine');
    await until('the editor is dirty', () => vscode.window.tabGroups.activeTabGroup.activeTab?.isDirty === true);
    assert.equal((await adapter.stat(file)).isDirty, true);
    const refused = async (work: Promise<unknown>) => {
      await assert.rejects(work, { ...editorError('dirty'), message: /a\.testbytes .*unsaved changes/ });
    };
    await refused(remove(file));
    await refused(adapter.writeText(file, 'other'));
    await refused(adapter.save(file));
    assert.equal(await readFile(file, 'utf8'), 'saved');
    await vscode.commands.executeCommand('workbench.action.files.save');
    await until('the editor is saved', () => vscode.window.tabGroups.activeTabGroup.activeTab?.isDirty === false);
    assert.equal(await readFile(file, 'utf8'), 'mine');
    await remove(file);
    assert.ok(!existsSync(file));
  });

  it('saves the text document that a custom editor shows, and deletes the file', async () => {
    const file = await writeInWorkspace('made/a.testtext', 'saved');
    const uri = vscode.Uri.file(file);
    await vscode.commands.executeCommand('vscode.openWith', uri, 'customEditorTest.text');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), 'mine ');
    await vscode.workspace.applyEdit(edit);
    assert.equal((await subject.adapter.stat(file)).isDirty, true);
    await remove(file);
    assert.ok(!existsSync(file));
  });
});
