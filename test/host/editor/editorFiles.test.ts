import assert from 'node:assert/strict';
import { chmod, readFile, rm, symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { EditorPort, FileEdits } from '../../../src/editor/common/editorPort';
import { AdapterUnderTest, editorError, replace } from '../support/editorAdapter';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const onDisk = (name: string): Promise<string> => readFile(inWorkspace(name), 'utf8');

describe('VsCodeEditor edits several files', () => {
  let subject: AdapterUnderTest;
  let editor: EditorPort;
  /** One for each test: VS Code still knows files of the one before. */
  let folder = '';
  let tests = 0;

  before(() => {
    subject = new AdapterUnderTest();
    editor = subject.adapter;
  });
  beforeEach(() => {
    folder = `files/${++tests}`;
  });
  afterEach(async () => {
    await closeAll();
    await rm(inWorkspace('files'), { recursive: true, force: true });
  });
  after(() => subject.dispose());

  /** An edit of the first three characters of a file as it is now. */
  async function editOf(name: string, newText: string): Promise<FileEdits> {
    const { path, version } = await editor.readText(inWorkspace(name));
    return { path, edits: [replace(0, 0, 3, newText)], expectedVersion: version };
  }

  it('at once, and saves those that the user has not changed', async () => {
    await writeInWorkspace(`${folder}/a.txt`, 'one\n');
    await writeInWorkspace(`${folder}/b.txt`, 'one\r\ntwo\r\n');
    await type(await show(await writeInWorkspace(`${folder}/c.txt`, 'one\n')), new vscode.Position(1, 0), 'typed\n');
    const changes = [
      await editOf(`${folder}/c.txt`, '3'),
      await editOf(`${folder}/a.txt`, '1'),
      await editOf(`${folder}/b.txt`, '2'),
    ];
    const written = await editor.editFiles(changes);
    assert.deepEqual(
      written.map(({ isDirty, text }) => [text, isDirty]),
      [
        ['3\ntyped\n', true],
        ['1\n', false],
        ['2\r\ntwo\r\n', false],
      ],
    );
    assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((name) => onDisk(`${folder}/${name}.txt`))), [
      '1\n',
      '2\r\ntwo\r\n',
      'one\n',
    ]);
  });

  it('and keeps mixed line endings', async () => {
    await writeInWorkspace(`${folder}/a.txt`, 'one\n');
    await writeInWorkspace(`${folder}/b.txt`, 'one\r\ntwo\nthree\r\n');
    await editor.editFiles([await editOf(`${folder}/a.txt`, '1'), await editOf(`${folder}/b.txt`, '2')]);
    assert.equal(await onDisk(`${folder}/a.txt`), '1\n');
    assert.equal(await onDisk(`${folder}/b.txt`), '2\r\ntwo\nthree\r\n');
  });

  it('or none: not if one has changed, is protected, read-only or excluded', async () => {
    await writeInWorkspace(`${folder}/a.txt`, 'one\n');
    const stale = await writeInWorkspace(`${folder}/b.txt`, 'one\n');
    await writeInWorkspace(`${folder}/.vscode/tasks.json`, '{ }\n');
    await writeInWorkspace(`${folder}/fixed.txt`, 'one\n');
    const first = await editOf(`${folder}/a.txt`, '1');
    const second = await editOf(`${folder}/b.txt`, '2');
    await type(await show(stale), new vscode.Position(0, 0), 'typed ');
    await assert.rejects(editor.editFiles([first, second]), editorError('staleVersion'));
    const tasks = await editOf(`${folder}/.vscode/tasks.json`, '[ ]');
    await assert.rejects(editor.editFiles([first, tasks]), editorError('protected'));
    const hidden = { ...first, path: inWorkspace(`${folder}/.env`) };
    await assert.rejects(editor.editFiles([first, hidden]), editorError('excluded'));
    const fixed = await editOf(`${folder}/fixed.txt`, 'two');
    await chmod(fixed.path, 0o444);
    // Root can write everything.
    if (process.getuid?.() !== 0) await assert.rejects(editor.editFiles([first, fixed]), editorError('editRejected'));
    await assert.rejects(editor.editFiles([first], { signal: AbortSignal.abort() }), editorError('cancelled'));
    assert.equal((await editor.readText(first.path)).text, 'one\n');
    const again = [await editOf(`${folder}/a.txt`, '1'), await editOf(`${folder}/.vscode/tasks.json`, '[ ]')];
    await editor.editFiles(again, { protectedFiles: 'allow' });
    assert.equal(await onDisk(`${folder}/.vscode/tasks.json`), '[ ]\n');
  });

  it('and refuses the same file by two names, instead of waiting for itself', async () => {
    await writeInWorkspace(`${folder}/a.txt`, 'one\n');
    await symlink(inWorkspace(`${folder}/a.txt`), inWorkspace(`${folder}/link.txt`));
    const changes = [await editOf(`${folder}/a.txt`, '1'), await editOf(`${folder}/link.txt`, '2')];
    await assert.rejects(editor.editFiles(changes), editorError('editRejected'));
    assert.equal(await onDisk(`${folder}/a.txt`), 'one\n');
  });

  it('two edits at the same time, one after the other', async () => {
    for (const name of ['a', 'b']) await writeInWorkspace(`${folder}/${name}.txt`, 'one\n');
    const forth = [await editOf(`${folder}/a.txt`, '1'), await editOf(`${folder}/b.txt`, '1')];
    const back = [await editOf(`${folder}/b.txt`, '2'), await editOf(`${folder}/a.txt`, '2')];
    const results = await Promise.allSettled([editor.editFiles(forth), editor.editFiles(back)]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const texts = [await onDisk(`${folder}/a.txt`), await onDisk(`${folder}/b.txt`)];
    assert.equal(texts[0], texts[1]);
  });
});
