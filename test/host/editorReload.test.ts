import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { TextEdit } from '../../src/editor/common/editorPort';
import { saveOver } from '../../src/editor/vscode/saveOver';
import { AdapterUnderTest } from './support/editorAdapter';
import { eventually } from '../support/eventually';
import { closeAll, inWorkspace, show, writeInWorkspace } from './support/workspace';

const start = { line: 0, character: 0 };
const atStart = (newText: string): TextEdit => ({ range: { start, end: start }, newText });

describe('a file that is open and was written behind the back of VS Code', () => {
  let subject: AdapterUnderTest;

  beforeEach(() => {
    subject = new AdapterUnderTest();
  });
  afterEach(async () => {
    subject.dispose();
    await closeAll();
    await rm(inWorkspace('reload'), { recursive: true, force: true });
  });

  it('is edited as it is on disk, and nothing of that is lost', async () => {
    const file = await writeInWorkspace('reload/edited.txt', 'one\nlast\n');
    await show(file);
    await writeFile(file, 'one\ntwo\nlast\n');
    // Refused, and nothing changed, until VS Code has seen it.
    const edit = () => subject.adapter.editText(file, () => [atStart('zero\n')]);
    const { text, isDirty } = await eventually('the edit', edit);
    assert.deepEqual([text, isDirty], ['zero\none\ntwo\nlast\n', false]);
    assert.equal(await readFile(file, 'utf8'), text);
  });

  it('is saved with the edit, whenever it was written while VS Code read it', async () => {
    for (let delayMs = 0; delayMs < 250; delayMs += 25) {
      const file = await writeInWorkspace(`reload/written-after-${delayMs}.txt`, 'one\nlast\n');
      await show(file);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await writeFile(file, 'one\ntwo\nlast\n');
      const edited = await eventually('the edit', () => subject.adapter.editText(file, () => [atStart('zero\n')]));
      assert.deepEqual([edited.text, edited.isDirty], ['zero\none\ntwo\nlast\n', false]);
    }
  });

  it('is not edited in the version from before, also right after it was shown again', async () => {
    const file = await writeInWorkspace('reload/stale.txt', 'one\n');
    await show(file);
    const { version } = await subject.adapter.readText(file);
    await closeAll();
    await writeFile(file, 'two\n');
    await show(file);
    const write = subject.adapter.writeText(file, 'x', { expectedVersion: version });
    await assert.rejects(write, { name: 'EditorError', code: 'staleVersion' });
    assert.equal(await readFile(file, 'utf8'), 'two\n');
  });

  describe('and that VS Code does not save', () => {
    async function changedMeanwhile(name: string): Promise<vscode.TextDocument> {
      const file = await writeInWorkspace(`reload/${name}.txt`, 'äone\n');
      const { document } = await show(file);
      const change = new vscode.WorkspaceEdit();
      change.insert(document.uri, new vscode.Position(0, 0), 'zero\n');
      assert.ok(await vscode.workspace.applyEdit(change));
      await writeFile(file, 'one\ntwo\n');
      await eventually('the refusal', async () => assert.equal(await document.save(), false));
      return document;
    }
    const onDisk = (document: vscode.TextDocument): Promise<string> => readFile(document.uri.fsPath, 'utf8');

    it('is saved over what is known, in its encoding', async () => {
      const document = await changedMeanwhile('known');
      assert.equal(await saveOver(document, 'one\ntwo\n', () => onDisk(document)), true);
      assert.deepEqual([document.isDirty, await onDisk(document)], [false, 'zero\näone\n']);
    });

    it('is not saved over what others have written since', async () => {
      const document = await changedMeanwhile('unknown');
      assert.equal(await saveOver(document, 'one\n', () => onDisk(document)), false);
      assert.deepEqual([document.isDirty, await onDisk(document)], [true, 'one\ntwo\n']);
    });
  });
});
