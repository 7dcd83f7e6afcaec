import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { access, chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { EditorPort } from '../../../src/editor/common/editorPort';
import { AdapterUnderTest, editorError, replace } from '../support/editorAdapter';
import { formatOnSave, stopFormatting } from '../support/formatter';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';
import { eventually } from '../../support/eventually';

const start = new vscode.Position(0, 0);
const onDisk = (file: string): Promise<string> => readFile(file, 'utf8');

async function documentOf(file: string): Promise<vscode.TextDocument> {
  return vscode.workspace.openTextDocument(file);
}

describe('VsCodeEditor writes', () => {
  let subject: AdapterUnderTest;
  let editor: EditorPort;
  const textOf = async (file: string): Promise<string> => (await editor.readText(file)).text;

  before(() => {
    subject = new AdapterUnderTest();
    editor = subject.adapter;
  });
  afterEach(closeAll);
  after(async () => {
    subject.dispose();
    await rm(inWorkspace('write'), { recursive: true, force: true });
  });

  describe('edits', () => {
    it('to a file that is not open, without showing it', async () => {
      await eventually('an edit that is saved at once', async () => {
        await closeAll();
        const file = await writeInWorkspace('write/closed.txt', 'one\ntwo\n');
        const startedAt = Date.now();
        const { text, isDirty, path } = await editor.editText(file, () => [replace(1, 0, 3, '2')]);
        assert.deepEqual([text, isDirty, path, await onDisk(file)], ['one\n2\n', false, file, 'one\n2\n']);
        // What is not saved after 0.8 s VS Code shows by itself.
        assert.ok(Date.now() - startedAt < 500);
        assert.deepEqual(vscode.window.visibleTextEditors, []);
      });
    });

    it('that one undo takes back and one redo brings again', async () => {
      const file = await writeInWorkspace('write/undo.txt', 'one\ntwo\nthree\n');
      const shown = await show(file);
      await editor.editText(file, () => [replace(0, 0, 3, '1'), replace(2, 0, 5, '3'), replace(1, 3, 3, '!')]);
      assert.equal(await onDisk(file), '1\ntwo!\n3\n');
      await show(file);
      await vscode.commands.executeCommand('undo');
      assert.equal(shown.document.getText(), 'one\ntwo\nthree\n');
      await vscode.commands.executeCommand('redo');
      assert.equal(shown.document.getText(), '1\ntwo!\n3\n');
    });

    it('of a whole text that leave the cursor where it is, and one undo takes back', async () => {
      const file = await writeInWorkspace('write/cursor.txt', 'one\ntwo\nthree\nfour\n');
      const shown = await show(file);
      shown.selection = new vscode.Selection(3, 1, 3, 3);
      await editor.writeText(file, 'one\n2\n2.5\nthree\nfour\n');
      assert.equal(shown.document.getText(shown.selection), 'ou');
      await show(file);
      await vscode.commands.executeCommand('undo');
      assert.equal(shown.document.getText(), 'one\ntwo\nthree\nfour\n');
    });

    it('that change nothing, and touch neither buffer nor disk', async () => {
      const file = await writeInWorkspace('write/same.txt', 'same\n');
      const before = await editor.readText(file);
      await show(file);
      const { version } = await editor.readText(file);
      assert.equal((await editor.writeText(file, 'same\n')).version, version);
      assert.equal((await editor.editText(file, () => [])).version, version);
      await closeAll();
      assert.equal((await editor.stat(file)).size, before.text.length);
    });

    const emoji: readonly [before: string, from: number, to: number, newText: string, after: string][] = [
      ['a😀b\n', 1, 3, '😁', 'a😁b\n'],
      ['🎸\n', 0, 2, '🥁🎹', '🥁🎹\n'],
      ['👩‍🎤\n', 0, 5, '👨‍🎤', '👨‍🎤\n'],
      ['\u{1f600}\n', 0, 2, '\u{1fa00}', '\u{1fa00}\n'],
    ];
    for (const [before, from, to, newText, after] of emoji) {
      for (const where of ['the active editor', 'an editor at the side', 'no editor']) {
        it(`from ${before.trim()} to ${after.trim()} in ${where}`, async () => {
          const file = await writeInWorkspace(`write/emoji/${where} ${after.trim()}.txt`, before);
          if (where !== 'no editor') await show(file);
          if (where === 'an editor at the side') {
            const other = vscode.Uri.file(inWorkspace('README.md'));
            await vscode.window.showTextDocument(other, { viewColumn: vscode.ViewColumn.Beside });
          }
          assert.equal((await editor.editText(file, () => [replace(0, from, to, newText)])).text, after);
          assert.equal(await onDisk(file), after);
          assert.equal((await editor.writeText(file, before)).text, before);
          assert.equal(await onDisk(file), before);
        });
      }
    }

    for (const [what, edits] of [
      ['past the end of a line', [replace(0, 0, 9, '')]],
      ['past the last line', [replace(9, 0, 0, 'x')]],
      ['that cut an emoji', [replace(1, 0, 1, '')]],
      ['that overlap', [replace(0, 0, 2, ''), replace(0, 1, 3, '')]],
    ] as const) {
      it(`${what} not at all`, async () => {
        const file = await writeInWorkspace('write/ranges.txt', 'one\n😀\n');
        await assert.rejects(
          editor.editText(file, () => edits),
          editorError('invalidRange'),
        );
        assert.equal(await onDisk(file), 'one\n😀\n');
        assert.equal((await documentOf(file)).isDirty, false);
      });
    }

    it('that an edit function makes of the text as it is then, or none when it throws', async () => {
      const file = await writeInWorkspace('write/function.txt', 'one\n');
      await type(await show(file), start, 'un');
      const { text } = await editor.editText(file, ({ text: now, isDirty }) => {
        assert.deepEqual([now, isDirty], ['unone\n', true]);
        return [replace(0, 0, 2, '')];
      });
      assert.equal(text, 'one\n');
      const refusal = new Error('not like this');
      await assert.rejects(
        editor.editText(file, () => {
          throw refusal;
        }),
        refusal,
      );
      assert.equal(await textOf(file), 'one\n');
    });

    it('of 20 MB', async () => {
      const line = 'grüße, zwanzig Zeichen\n';
      const content = line.repeat(Math.ceil((20 * 1024 * 1024) / 25));
      const file = await writeInWorkspace('write/large.txt', content);
      const { text } = await editor.editText(file, () => [replace(1, 0, 5, 'GRUSS')]);
      assert.equal(text.slice(0, 60), (line + line.replace('grüße', 'GRUSS') + content).slice(0, 60));
      assert.equal(text.length, content.length);
      assert.equal((await onDisk(file)) === text, true);
      await rm(file);
    });
  });

  describe('a file anew', () => {
    it('with its folders', async () => {
      const file = inWorkspace('write', 'new', 'deep', 'made.txt');
      const { text, isDirty, path } = await editor.writeText(file, 'grüße\n');
      assert.deepEqual([text, isDirty, path, await onDisk(file)], ['grüße\n', false, file, 'grüße\n']);
    });

    it('only where an edit is not of something that was there', async () => {
      const file = inWorkspace('write', 'missing.txt');
      await assert.rejects(
        editor.editText(file, () => [replace(0, 0, 0, 'x')]),
        editorError('notFound'),
      );
      await assert.rejects(editor.writeText(file, 'x', { expectedVersion: 'disk:1' }), {
        code: /^(staleVersion|notFound)$/,
      });
      await assert.rejects(access(file));
    });

    it('after it was deleted', async () => {
      const file = await writeInWorkspace('write/deleted.txt', 'one\n');
      await editor.writeText(file, 'two\n');
      await closeAll();
      await rm(file);
      assert.equal((await editor.writeText(file, 'three\n')).text, 'three\n');
      assert.equal(await onDisk(file), 'three\n');
    });
  });

  describe('never', () => {
    it('beside the workspace, directly or through a link, to a file or as a new one', async () => {
      const outside = inWorkspace('..', 'outside');
      await mkdir(outside, { recursive: true });
      await writeFile(`${outside}/a.txt`, 'safe');
      await writeInWorkspace('write/links/.keep', '');
      await symlink(outside, inWorkspace('write', 'links', 'folder'));
      await symlink(`${outside}/a.txt`, inWorkspace('write', 'links', 'file.txt'));
      await symlink(`${outside}/new.txt`, inWorkspace('write', 'links', 'dangling.txt'));
      for (const target of [
        `${outside}/a.txt`,
        '../outside/new.txt',
        inWorkspace('write', 'links', 'folder', 'a.txt'),
        inWorkspace('write', 'links', 'folder', 'new.txt'),
        inWorkspace('write', 'links', 'folder', 'deep', 'new.txt'),
        inWorkspace('write', 'links', 'file.txt'),
        inWorkspace('write', 'links', 'dangling.txt'),
      ]) {
        await assert.rejects(editor.writeText(target, 'spoilt'), editorError('outsideWorkspace'), target);
        await assert.rejects(
          editor.editText(target, () => [replace(0, 0, 0, 'x')]),
          editorError('outsideWorkspace'),
        );
        await assert.rejects(editor.save(target), editorError('outsideWorkspace'));
      }
      assert.equal(await onDisk(`${outside}/a.txt`), 'safe');
      await assert.rejects(access(`${outside}/new.txt`));
      await assert.rejects(access(`${outside}/deep`));
    });

    it('to what is excluded, under whatever name, existing or not', async () => {
      const file = await writeInWorkspace('write/.env', 'SECRET=1');
      await symlink('.env', inWorkspace('write', 'innocent.txt'));
      for (const name of ['write/.env', 'write/innocent.txt', 'write/.env.new']) {
        await assert.rejects(editor.writeText(inWorkspace(name), 'x'), editorError('excluded'), name);
      }
      assert.equal(await onDisk(file), 'SECRET=1');
    });

    it('to a FIFO, a folder or binary data', async () => {
      await writeInWorkspace('write/odd/.keep', '');
      const fifo = inWorkspace('write', 'odd', 'fifo');
      execFileSync('mkfifo', [fifo]);
      await assert.rejects(editor.writeText(fifo, 'x'), editorError('notAFile'));
      await assert.rejects(editor.writeText(inWorkspace('write'), 'x'), editorError('isDirectory'));
      await rm(fifo);
      const binary = await writeInWorkspace('write/binary.bin', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]));
      await assert.rejects(editor.writeText(binary, 'x'), editorError('notText'));
      assert.equal((await readFile(binary)).length, 7);
    });

    it('in a workspace that is not trusted', async () => {
      const file = await writeInWorkspace('write/untrusted.txt', 'one\n');
      subject.trusted = false;
      try {
        await assert.rejects(editor.writeText(file, 'x'), editorError('untrusted'));
        await assert.rejects(editor.writeText(inWorkspace('write/n.txt'), 'x'), editorError('untrusted'));
        await assert.rejects(
          editor.editText(file, () => [replace(0, 0, 0, 'x')]),
          editorError('untrusted'),
        );
        await assert.rejects(
          editor.editText(file, () => [replace(0, 0, 0, 'x')]),
          editorError('untrusted'),
        );
        await assert.rejects(editor.save(file), editorError('untrusted'));
        assert.equal(await textOf(file), 'one\n');
      } finally {
        subject.trusted = true;
      }
      assert.equal(await onDisk(file), 'one\n');
    });

    it('once the request was given up, also while it waits for its turn', async () => {
      const file = await writeInWorkspace('write/aborted.txt', 'one\n');
      const given = AbortSignal.abort();
      await assert.rejects(editor.writeText(file, 'x', { signal: given }), editorError('cancelled'));
      const controller = new AbortController();
      const { signal } = controller;
      const first = editor.editText(file, () => {
        controller.abort();
        return [replace(0, 0, 3, 'two')];
      });
      const second = editor.editText(file, () => [replace(0, 0, 0, 'x')], { signal });
      await assert.rejects(second, editorError('cancelled'));
      await first;
      const missing = inWorkspace('write', 'abortedNew.txt');
      await assert.rejects(editor.writeText(missing, 'x', { signal }), editorError('cancelled'));
      assert.equal(await onDisk(file), 'two\n');
      await assert.rejects(access(missing));
    });

    it('to a file that is marked read-only, of which nothing is half done', async () => {
      const file = await writeInWorkspace('write/readOnly.txt', 'one\n');
      await chmod(file, 0o444);
      await assert.rejects(editor.writeText(file, 'two\n'), {
        code: /^(editRejected|saveFailed)$/,
        message: /read-only/,
      });
      assert.equal(await onDisk(file), 'one\n');
      assert.equal(await textOf(file), 'one\n');
      await chmod(file, 0o644);
      assert.equal((await editor.writeText(file, 'two\n')).text, 'two\n');
    });
  });

  describe('and saves', () => {
    it('a buffer that was clean, and leaves the user’s own changes to him', async () => {
      const file = await writeInWorkspace('write/dirty.txt', 'one\n');
      const shown = await show(file);
      assert.equal((await editor.editText(file, () => [replace(0, 0, 0, 'a')])).isDirty, false);
      await type(shown, start, 'mine ');
      const { text, isDirty } = await editor.editText(file, () => [replace(0, 0, 0, 'theirs ')]);
      assert.deepEqual([text, isDirty, await onDisk(file)], ['theirs mine aone\n', true, 'aone\n']);
      assert.equal((await editor.writeText(file, 'all\n')).isDirty, true);
      assert.equal(await onDisk(file), 'aone\n');
    });

    it('a dirty buffer when told to', async () => {
      const file = await writeInWorkspace('write/saved.txt', 'one\n');
      await type(await show(file), start, 'mine ');
      const { isDirty } = await editor.editText(file, () => [replace(0, 0, 0, 'a ')], { save: true });
      assert.deepEqual([isDirty, await onDisk(file)], [false, 'a mine one\n']);
    });

    it('nothing when told not to', async () => {
      const file = await writeInWorkspace('write/unsaved.txt', 'one\n');
      await show(file);
      const { isDirty } = await editor.editText(file, () => [replace(0, 0, 0, 'a')], { save: false });
      assert.deepEqual([isDirty, await onDisk(file)], [true, 'one\n']);
      assert.equal(await textOf(file), 'aone\n');
      await editor.save(file);
      assert.equal(await onDisk(file), 'aone\n');
    });

    it('nothing over unsaved changes when they are to be refused', async () => {
      const file = await writeInWorkspace('write/refused.txt', 'one\n');
      const shown = await show(file);
      await type(shown, start, 'mine ');
      for (const write of [
        editor.writeText(file, 'x', { ifDirty: 'refuse' }),
        editor.editText(file, () => [replace(0, 0, 0, 'x')], { ifDirty: 'refuse' }),
      ]) {
        await assert.rejects(write, editorError('dirty'));
      }
      assert.equal(shown.document.getText(), 'mine one\n');
    });

    it('on request what is dirty, and nothing else', async () => {
      const file = await writeInWorkspace('write/request.txt', 'one\n');
      await editor.save(file);
      await editor.save(inWorkspace('write', 'notThere.txt'));
      await type(await show(file), start, 'mine ');
      await editor.save(file);
      assert.equal(await onDisk(file), 'mine one\n');
    });

    it('what a formatter makes of it, and tells that', async () => {
      const file = await writeInWorkspace('write/formatted.txt', 'one\n');
      const formatter = await formatOnSave(({ uri }) =>
        Promise.resolve(uri.fsPath === file ? [vscode.TextEdit.insert(start, 'formatted ')] : []),
      );
      try {
        assert.equal((await editor.writeText(file, 'two\n')).text, 'formatted two\n');
        assert.equal(await onDisk(file), 'formatted two\n');
      } finally {
        formatter.dispose();
        await stopFormatting();
      }
    });
  });
});
