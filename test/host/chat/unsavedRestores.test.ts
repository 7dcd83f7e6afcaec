import assert from 'node:assert/strict';
import { readFile, rm, symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import { FileRestorePreparer } from '../../../src/chat/vscode/review/fileRestorePreparer';
import { AdapterUnderTest } from '../support/editorAdapter';
import { inWorkspace, writeInWorkspace } from '../support/workspace';

describe('files with unsaved changes before a restore', () => {
  let subject: AdapterUnderTest;
  before(() => (subject = new AdapterUnderTest()));
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await rm(inWorkspace('linked'), { force: true });
    await rm(inWorkspace('restored'), { recursive: true, force: true });
  });
  after(() => subject.dispose());

  const dialogs = {
    confirm: () => Promise.resolve(true),
    choose: () => Promise.resolve(undefined),
    chooseFolder: () => Promise.resolve(undefined),
    chooseFile: () => Promise.resolve(undefined),
  };

  it('are known and saved by the path of the file, though its notebook is open by that of a link', async () => {
    const cell = { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: ['one'] };
    const contents = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const file = await writeInWorkspace('restored/a.ipynb', contents);
    await symlink(inWorkspace('restored'), inWorkspace('linked'));
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(inWorkspace('linked/a.ipynb')));
    await vscode.window.showNotebookDocument(notebook);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(notebook.cellAt(0).document.uri, new vscode.Position(0, 0), 'mine ');
    await vscode.workspace.applyEdit(edit);
    const files = new FileRestorePreparer({ editor: subject.adapter, checkpoints: undefined, dialogs });
    const unsaved = await files.findUnsaved();
    assert.ok(unsaved.has(file));
    assert.ok(unsaved.has(inWorkspace('linked/a.ipynb')));
    assert.deepEqual(await files.saveUnsaved([file]), { hasSaved: true, refused: [] });
    assert.match(await readFile(file, 'utf8'), /mine one/);
    assert.equal((await files.findUnsaved()).has(file), false);
  });
});
