import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import * as path from 'node:path';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { eventually, until } from '../../../support/eventually';
import { only } from '../../../support/only';
import { contentsOf, TestWorkspace } from '../../changes/support/workspace';
import { changeLines, DiskWindow } from '../support/diskWindow';

const bytes = (...values: number[]): Uint8Array => Uint8Array.of(0, 1, 2, ...values);

const onPosix = only('with POSIX modes and links', process.platform !== 'win32');

describe('Changes that a text diff does not show', () => {
  let workspace: TestWorkspace;
  let window: DiskWindow;
  let chat: Chat;
  beforeEach(async () => {
    workspace = new TestWorkspace();
    workspace.write({
      'a.txt': 'one\ntwo\nthree\n',
      'image.bin': bytes(3),
      'other.bin': bytes(4),
      'run.sh': '#!/bin/sh\n',
      'tool.sh': '#!/bin/sh\necho tool\n',
    });
    chmodSync(workspace.file('tool.sh'), 0o755);
    window = await DiskWindow.open(workspace);
    chat = await window.create();
  });
  afterEach(async () => {
    await window.close();
    await workspace.dispose();
  });

  const file = (name: string): string => workspace.file(name);
  const isExecutable = (name: string): boolean => (lstatSync(file(name)).mode & 0o100) !== 0;
  const lines = (): string[] => changeLines(chat, workspace.folder);
  const listed = (...expected: string[]): Promise<void> =>
    eventually('the changes', () => assert.deepEqual(lines(), expected.sort()));
  const turnLines = (): string[] =>
    [...chat.transcript.entries()].flatMap((entry) =>
      entry.kind === 'end'
        ? (entry.changes ?? []).map(({ kind, path: name, state }) => `${path.basename(name)} ${kind ?? ''} ${state}`)
        : [],
    );

  async function reopen(): Promise<void> {
    await window.close();
    window = await DiskWindow.open(workspace);
    chat = await window.reopen(chat.id);
  }

  it('are undone for a created, changed or deleted binary file, even after a restart', async () => {
    const before = contentsOf(workspace.folder);
    await window.turn(chat, () => {
      workspace.write({ 'image.bin': bytes(9), 'new.bin': bytes(7) });
      workspace.remove('other.bin');
    });
    await listed('created new.bin (binary)', 'deleted other.bin (binary)', 'modified image.bin (binary)');
    for (const turn of [undefined, 1]) {
      const { before: first, after } = chat.fileChanges.statesOf(file('new.bin'), turn) ?? {};
      assert.deepEqual([first, after?.kind, after?.bytes], [undefined, 'file', 4]);
    }
    await until('the turn', () => turnLines().length === 3);
    await reopen();
    await listed('created new.bin (binary)', 'deleted other.bin (binary)', 'modified image.bin (binary)');
    for (const name of ['new.bin', 'other.bin', 'image.bin']) await chat.revert(file(name));
    assert.deepEqual(contentsOf(workspace.folder), before);
    assert.deepEqual(lines(), []);
    assert.deepEqual(turnLines().sort(), [
      'image.bin binary reverted',
      'new.bin binary reverted',
      'other.bin binary reverted',
    ]);
  });

  /** As the button of the notice in the conversation. */
  async function undoRestore(id: string | undefined): Promise<void> {
    const restore = chat.restores.get(id ?? '');
    assert.ok(restore);
    const { signal } = new AbortController();
    const files = await window.restorer.previewUndo(chat, restore, signal);
    await window.restorer.undo(chat, restore, { ...files, refused: [], left: [] }, signal);
    await chat.fileChanges.refresh();
  }

  it('are undone by a step that can be undone itself', async () => {
    await window.turn(chat, () => workspace.write({ 'image.bin': bytes(9) }));
    await listed('modified image.bin (binary)');
    await chat.revert(file('image.bin'));
    const store = await workspace.open({ storage: path.join(workspace.storage, onlyFolderIn(workspace.storage)) });
    const undo = (await store.list()).at(-1);
    assert.equal(undo?.label, 'Before undo of image.bin');
    await store.applyRestore(await store.planRestore(undo.id, ['image.bin']), 'again');
    assert.deepEqual(readFileSync(file('image.bin')), Buffer.from(bytes(9)));
  });

  it('are not undone over later changes by others unless the user wants it, and then this can be undone', async () => {
    await window.turn(chat, () => workspace.write({ 'image.bin': bytes(9) }));
    await listed('modified image.bin (binary)');
    workspace.write({ 'image.bin': bytes(5) });
    await assert.rejects(chat.revert(file('image.bin')), { code: 'changedSince' });
    assert.deepEqual(readFileSync(file('image.bin')), Buffer.from(bytes(5)));
    await chat.fileChanges.refresh();
    assert.deepEqual(lines(), ['modified image.bin (binary) changedSince']);
    const restoreId = await chat.revert(file('image.bin'), { force: true });
    assert.deepEqual(readFileSync(file('image.bin')), Buffer.from(bytes(3)));
    assert.deepEqual(lines(), []);
    await undoRestore(restoreId);
    assert.deepEqual(readFileSync(file('image.bin')), Buffer.from(bytes(5)));
    assert.deepEqual(lines(), ['modified image.bin (binary) changedSince']);
  });

  it('are there again, to be undone again, after the undo was undone, also after a restart', async () => {
    await window.turn(chat, () => workspace.write({ 'image.bin': bytes(9), 'new.bin': bytes(7) }));
    await listed('created new.bin (binary)', 'modified image.bin (binary)');
    const restoreId = await chat.revert(file('image.bin'));
    await listed('created new.bin (binary)');
    await reopen();
    await listed('created new.bin (binary)');
    await undoRestore(restoreId);
    assert.deepEqual(readFileSync(file('image.bin')), Buffer.from(bytes(9)));
    await listed('created new.bin (binary)', 'modified image.bin (binary)');
    assert.deepEqual(turnLines().sort(), ['image.bin binary applied', 'new.bin binary applied']);
    await undoRestore(await chat.revert(file('new.bin')));
    await reopen();
    await listed('created new.bin (binary)', 'modified image.bin (binary)');
  });

  it('of an earlier turn are nobody’s new change when they are undone while another turn runs', async () => {
    await window.turn(chat, () => workspace.write({ 'image.bin': bytes(9) }));
    await listed('modified image.bin (binary)');
    await window.begin(chat);
    await chat.revert(file('image.bin'));
    await window.end(chat);
    await chat.restores.whenTurnRecorded();
    assert.deepEqual(lines(), []);
  });

  it('are undone for one turn', async () => {
    await window.turn(chat, () => workspace.write({ 'image.bin': bytes(8) }));
    await listed('modified image.bin (binary)');
    await window.turn(chat, () => workspace.write({ 'image.bin': bytes(9) }));
    await until('two turns', () => turnLines().length === 2);
    await assert.rejects(chat.revert(file('image.bin'), { turn: 1 }), { code: 'changedSince' });
    await chat.revert(file('image.bin'), { turn: 2 });
    assert.deepEqual(readFileSync(file('image.bin')), Buffer.from(bytes(8)));
    assert.deepEqual(lines(), ['modified image.bin (binary)']);
    await reopen();
    await listed('modified image.bin (binary)');
    await chat.revert(file('image.bin'));
    assert.deepEqual(readFileSync(file('image.bin')), Buffer.from(bytes(3)));
  });

  it('are kept', async () => {
    await window.turn(chat, () => workspace.write({ 'image.bin': bytes(8), 'other.bin': bytes(8) }));
    await listed('modified image.bin (binary)', 'modified other.bin (binary)');
    await chat.keepChanges(file('image.bin'));
    assert.deepEqual(lines(), ['modified other.bin (binary)']);
    await chat.keepChanges();
    await reopen();
    assert.deepEqual(lines(), []);
    assert.deepEqual(readFileSync(file('image.bin')), Buffer.from(bytes(8)));
  });

  it('report that the checkpoint is missing', async () => {
    await window.turn(chat, () => workspace.write({ 'image.bin': bytes(9) }));
    await listed('modified image.bin (binary)');
    const store = await workspace.open({ storage: path.join(workspace.storage, onlyFolderIn(workspace.storage)) });
    await store.drop((await store.list()).map(({ id }) => id));
    await assert.rejects(chat.revert(file('image.bin')), /checkpoint with the earlier file was deleted/);
    assert.deepEqual(readFileSync(file('image.bin')), Buffer.from(bytes(9)));
    assert.deepEqual(lines(), ['modified image.bin (binary)']);
  });

  it('include files too large for a text diff, and bytes that are not text', async () => {
    const large = 'line\n'.repeat(1.2 * 1024 * 1024);
    workspace.write({ 'large.txt': large, 'latin.txt': Uint8Array.of(0x63, 0x61, 0x66, 0xe9) });
    const before = contentsOf(workspace.folder);
    await window.turn(chat, () => {
      workspace.write({ 'large.txt': `${large}more`, 'latin.txt': Uint8Array.of(0x63, 0xe9) });
    });
    await listed('modified large.txt (large)', 'modified latin.txt (binary)');
    await chat.revert(file('large.txt'));
    await chat.revert(file('latin.txt'));
    assert.deepEqual(contentsOf(workspace.folder), before);
  });

  onPosix.it('are modes: alone, with a text, and of a file that was deleted', async () => {
    const before = contentsOf(workspace.folder);
    await window.turn(chat, () => {
      chmodSync(file('run.sh'), 0o755);
      chmodSync(file('a.txt'), 0o755);
      workspace.write({ 'a.txt': 'one\nTWO\nthree\n' });
      workspace.remove('tool.sh');
    });
    await listed('modified run.sh (mode)', 'modified a.txt (mode)', 'deleted tool.sh');
    assert.equal(await chat.fileChanges.baseline(file('run.sh')), workspace.read('run.sh'), 'no line is marked');
    await reopen();
    await listed('modified run.sh (mode)', 'modified a.txt (mode)', 'deleted tool.sh');
    for (const name of ['run.sh', 'a.txt', 'tool.sh']) await chat.revert(file(name));
    assert.deepEqual(contentsOf(workspace.folder), before);
    assert.deepEqual(lines(), []);
  });

  onPosix.it('are modes, which are undone beside the lines of the user', async () => {
    await window.turn(chat, () => {
      chmodSync(file('a.txt'), 0o755);
      workspace.write({ 'a.txt': 'ONE\ntwo\nthree\n' });
    });
    await listed('modified a.txt (mode)');
    workspace.write({ 'a.txt': 'ONE\ntwo\nmine\n' });
    await chat.revert(file('a.txt'));
    assert.equal(workspace.read('a.txt'), 'one\ntwo\nmine\n');
    assert.equal(isExecutable('a.txt'), false);
  });

  onPosix.it('are symbolic links: the link is shown and undone, never its target', async () => {
    const outside = path.join(workspace.root, 'outside.txt');
    writeFileSync(outside, 'outside\n');
    symlinkSync('a.txt', file('link'));
    const before = contentsOf(workspace.folder);
    await window.turn(chat, () => {
      unlinkSync(file('link'));
      symlinkSync('run.sh', file('link'));
      symlinkSync('a.txt', file('new link'));
      symlinkSync(outside, file('way out'));
      symlinkSync('nowhere', file('dangling'));
      unlinkSync(file('tool.sh'));
      symlinkSync('run.sh', file('tool.sh'));
    });
    const names = ['link', 'new link', 'way out', 'dangling', 'tool.sh'];
    await listed(
      'modified link (symlink)',
      'created new link (symlink)',
      'created way out (symlink)',
      'created dangling (symlink)',
      'modified tool.sh (symlink)',
    );
    await reopen();
    for (const name of names) await chat.revert(file(name));
    assert.deepEqual(contentsOf(workspace.folder), before);
    assert.equal(readlinkSync(file('link')), 'a.txt');
    assert.equal(readFileSync(outside, 'utf8'), 'outside\n');
    assert.deepEqual(lines(), []);
  });

  it('include line endings and byte order marks, which are restored byte for byte', async () => {
    workspace.write({ 'crlf.txt': 'one\r\ntwo\r\n', 'lf.txt': 'one\ntwo\n', 'mixed.txt': 'one\r\ntwo\nthree\n' });
    const before = contentsOf(workspace.folder);
    await window.turn(chat, () => {
      workspace.write({
        'crlf.txt': 'one\nTWO\n',
        'lf.txt': 'one\r\ntwo\r\n',
        'a.txt': '\ufeffone\ntwo\nthree\n',
        'mixed.txt': 'one\r\ntwo\nTHREE\n',
      });
    });
    await listed(
      'modified crlf.txt (bytes)',
      'modified lf.txt (bytes)',
      'modified a.txt (bytes)',
      'modified mixed.txt',
    );
    for (const name of ['crlf.txt', 'lf.txt', 'a.txt']) await chat.revert(file(name));
    await chat.revert(file('mixed.txt'));
    assert.deepEqual(contentsOf(workspace.folder), {
      ...before,
      'mixed.txt': contentsOf(workspace.folder)['mixed.txt'],
    });
    assert.equal(workspace.read('mixed.txt').replaceAll('\r', ''), 'one\ntwo\nthree\n');
  });

  it('include renames, even with a few other lines and of binary files', async () => {
    const text = 'a line that is long enough to be found again\n'.repeat(20);
    workspace.write({ 'old.txt': text, 'old.bin': bytes(...Buffer.from(text)) });
    const before = contentsOf(workspace.folder);
    await window.turn(chat, () => {
      renameSync(file('old.txt'), file('new.txt'));
      writeFileSync(file('new.txt'), `first\n${text}`);
      renameSync(file('old.bin'), file('new.bin'));
    });
    const renamed = ['created new.txt from old.txt', 'created new.bin (binary) from old.bin'];
    const deleted = ['deleted old.txt', 'deleted old.bin (binary)'];
    await listed(...renamed, ...deleted);
    await reopen();
    await listed(...renamed, ...deleted);
    for (const name of ['new.txt', 'old.txt', 'new.bin', 'old.bin']) await chat.revert(file(name));
    assert.deepEqual(lines(), []);
    assert.deepEqual(contentsOf(workspace.folder), before);
  });

  it('of a text file that became binary are undone to the earlier text', async () => {
    await window.turn(chat, () => workspace.write({ 'a.txt': 'one\nTWO\nthree\n' }));
    await listed('modified a.txt');
    await window.turn(chat, () => workspace.write({ 'a.txt': bytes(1) }));
    await listed('modified a.txt (binary)');
    await chat.revert(file('a.txt'));
    assert.equal(workspace.read('a.txt'), 'one\ntwo\nthree\n');
    assert.deepEqual(lines(), []);
  });
});

function onlyFolderIn(storage: string): string {
  const [name, ...others] = Object.keys(
    Object.groupBy(Object.keys(contentsOf(storage)), (one) => one.split(path.sep)[0] ?? ''),
  );
  assert.ok(name !== undefined && others.length === 0);
  return name;
}
