import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { WindowUnsavedFiles } from '../../../src/chat/vscode/unsaved/windowUnsavedFiles';
import type { SaveBeforePrompt } from '../../../src/platform/common/settings';
import { AdapterUnderTest } from '../support/editorAdapter';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const start = new vscode.Position(0, 0);

describe('the unsaved files of the window', () => {
  let adapter: AdapterUnderTest;
  let files: WindowUnsavedFiles;
  let dismissals: number;
  beforeEach(() => {
    adapter = new AdapterUnderTest();
    dismissals = 0;
    let mode: SaveBeforePrompt = 'ask';
    files = new WindowUnsavedFiles({
      editor: adapter.adapter,
      settings: {
        saveBeforePrompt: () => mode,
        setSaveBeforePrompt: (value) => {
          mode = value;
          return Promise.resolve();
        },
      },
      onDismiss: () => {
        dismissals++;
      },
    });
  });
  afterEach(async () => {
    adapter.dispose();
    await closeAll();
    await rm(inWorkspace('unsavedFiles'), { recursive: true, force: true });
  });

  async function dirty(name: string): Promise<string> {
    const file = await writeInWorkspace(`unsavedFiles/${name}`, 'one\n');
    await type(await show(file), start, 'mine ');
    return file;
  }

  it('are also notebooks, whose files are not edited before they are saved', async () => {
    const cell = { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: ['one'] };
    const contents = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });
    const file = await writeInWorkspace('unsavedFiles/a.ipynb', contents);
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(file));
    await vscode.window.showNotebookDocument(notebook);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(notebook.cellAt(0).document.uri, start, 'mine ');
    await vscode.workspace.applyEdit(edit);
    assert.equal(notebook.isDirty, true);
    assert.deepEqual(
      (await files.listFiles()).map(({ path }) => path),
      [file],
    );
    const write = adapter.adapter.writeText(file, '{}');
    await assert.rejects(write, { name: 'EditorError', code: 'dirty' });
    await assert.rejects(adapter.adapter.requireWritable(file, '{}'), { code: 'dirty' });
    assert.equal(await readFile(file, 'utf8'), contents);
    await files.saveFile(file);
    assert.equal(notebook.isDirty, false);
    assert.match(await readFile(file, 'utf8'), /mine one/);
  });

  it('are those that agents may access, and were saved before', async () => {
    const hidden = await dirty('hidden.txt');
    await dirty('.env');
    await show(await writeInWorkspace('unsavedFiles/clean.txt', 'clean'));
    const untitled = await vscode.workspace.openTextDocument({ content: 'new' });
    await vscode.window.showTextDocument(untitled, { preview: false });
    const visible = await dirty('visible.txt');
    const listed = [...(await files.listFiles())].sort((one, other) => one.path.localeCompare(other.path));
    assert.deepEqual(listed, [
      { path: hidden, isVisible: false },
      { path: visible, isVisible: true },
    ]);
    await vscode.window.showTextDocument(untitled);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('are saved by path', async () => {
    const file = await dirty('a.txt');
    await files.saveFile(file);
    assert.equal(await readFile(file, 'utf8'), 'mine one\n');
    assert.deepEqual(await files.listFiles(), []);
  });

  it('answer the question about them when the user saves them', async () => {
    const file = await dirty('answered.txt');
    const answer = files.ask({ paths: [file] }, new AbortController().signal);
    await vscode.commands.executeCommand('workbench.action.files.save');
    assert.equal(await answer, 'save');
    assert.equal(dismissals, 0);
  });

  it('are saved from now on when the setting says so', async () => {
    await files.setAlwaysSave();
    assert.equal(files.saveBeforePrompt, 'always');
  });
});
