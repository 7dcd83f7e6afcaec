import { KnownTexts } from '../../../src/editor/common/knownTexts';
import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import { createMethodHandlers } from '../../../src/amp/common/methods';
import { systemClock } from '../../../src/base/node/systemClock';
import type { EditorPort } from '../../../src/editor/common/editorPort';
import { AdapterUnderTest, editorError, replace } from '../support/editorAdapter';
import { formatOnSave, stopFormatting } from '../support/formatter';
import { nobodyToAsk } from '../../fake/nobodyToAsk';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, writeInWorkspace } from '../support/workspace';

const soon = (): number => systemClock.monotonicNow() + 50;
const onDisk = (file: string): Promise<string> => readFile(file, 'utf8');
const bufferOf = (file: string): string | undefined =>
  vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === file)?.getText();

describe('saving of what was edited', () => {
  let subject: AdapterUnderTest;
  let editor: EditorPort;
  let formatter: vscode.Disposable | undefined;
  /** What the formatter waits for. */
  let release = (): void => undefined;

  beforeEach(() => {
    subject = new AdapterUnderTest();
    editor = subject.adapter;
  });
  afterEach(async () => {
    release();
    subject.dispose();
    await closeAll();
    formatter?.dispose();
    await stopFormatting();
    await rm(inWorkspace('save'), { recursive: true, force: true });
  });

  /** By a formatter that takes its time until it is released. */
  async function saveSlowly(file: string, meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    formatter = await formatOnSave(async ({ uri }) => {
      if (uri.fsPath === file) await released.then(meanwhile);
      return [];
    });
  }

  it('continues in the background when it takes too long, and the edit is made once', async () => {
    const file = await writeInWorkspace('save/slow.txt', 'one\n');
    await saveSlowly(file);
    const { text, isDirty } = await editor.editText(file, () => [replace(0, 0, 0, 'a')], { awaitSaveUntil: soon() });
    assert.deepEqual([text, isDirty, await onDisk(file)], ['aone\n', true, 'one\n']);
    release();
    await eventually('it is saved', async () => assert.equal(await onDisk(file), 'aone\n'));
    assert.equal(bufferOf(file), 'aone\n');
  });

  it('that goes on is not taken for unsaved changes of the user', async () => {
    const file = await writeInWorkspace('save/twice.txt', 'one\n');
    await saveSlowly(file);
    const first = { awaitSaveUntil: soon() };
    assert.equal((await editor.editText(file, () => [replace(0, 0, 0, 'a')], first)).isDirty, true);
    const second = { awaitSaveUntil: soon(), ifDirty: 'refuse' } as const;
    assert.equal((await editor.editText(file, () => [replace(0, 0, 0, 'b')], second)).text, 'baone\n');
    release();
    await eventually('both are saved', async () => assert.equal(await onDisk(file), 'baone\n'));
    await eventually('nothing is unsaved', async () => assert.equal((await editor.stat(file)).isDirty, false));
  });

  it('that is slow does not make the edit of the Amp CLI a failed one', async () => {
    const file = await writeInWorkspace('save/amp.txt', 'one\n');
    await saveSlowly(file);
    const ports = { editor, isToken: () => true, protectedEdits: nobodyToAsk(editor), policy: () => ({}) };
    const editFile = createMethodHandlers(ports).get('editFile');
    const answer = await editFile?.({
      dialect: 'cli',
      params: { path: file, fullContent: 'two\n' },
      signal: new AbortController().signal,
      deadlineMs: systemClock.monotonicNow() + 1800,
      startApplying: () => undefined,
      knownTexts: new KnownTexts(),
      awaitTurn: () => Promise.resolve(),
    });
    assert.equal(await onDisk(file), 'one\n');
    assert.match(JSON.stringify(answer), /"success":true.*still saving.*"appliedChanges":true/);
    release();
    await eventually('it is saved', async () => assert.equal(await onDisk(file), 'two\n'));
  });

  it('is said to have gone wrong when the file has left the workspace by then', async () => {
    const file = await writeInWorkspace('save/folder/moved.txt', 'one\n');
    const outside = inWorkspace('..', 'outside-save');
    await saveSlowly(file, async () => {
      await rename(inWorkspace('save', 'folder'), inWorkspace('save', 'away'));
      await mkdir(outside, { recursive: true });
      await rename(inWorkspace('save', 'away', 'moved.txt'), `${outside}/moved.txt`);
      await symlink(outside, inWorkspace('save', 'folder'));
    });
    try {
      const edit = editor.editText(file, () => [replace(0, 0, 0, 'a')]);
      release();
      await assert.rejects(edit, { ...editorError('editRejected'), message: /moved while it was saved/ });
    } finally {
      await rm(outside, { recursive: true, force: true });
    }
  });
});
