import assert from 'node:assert/strict';
import { readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { KeyedQueue } from '../../../src/base/common/async';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { EditorError, type EditorPort } from '../../../src/editor/common/editorPort';
import { ExcludeList } from '../../../src/editor/common/excludeList';
import { PathGuard, type CheckedPath } from '../../../src/editor/node/pathGuard';
import { DocumentWriter } from '../../../src/editor/vscode/documentWriter';
import { DocumentsByPath } from '../../../src/editor/vscode/documentsByPath';
import { AdapterUnderTest, editorError, replace } from '../support/editorAdapter';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const start = new vscode.Position(0, 0);
const onDisk = (file: string): Promise<string> => readFile(file, 'utf8');

/** Takes less time for each check than for the one before, as a busy disk may. */
class EverFasterGuard extends PathGuard {
  private turns = 60;

  override async check(requested: string): Promise<CheckedPath> {
    this.turns -= 20;
    for (let turn = 0; turn < this.turns; turn++) await setImmediate();
    return await super.check(requested);
  }
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
    await rm(inWorkspace('turns'), { recursive: true, force: true });
  });

  describe('one at a time for each file:', () => {
    it('20 edits at once are all there, and a read after them sees them', async () => {
      const file = await writeInWorkspace('turns/parallel.txt', '');
      const edits = Array.from({ length: 20 }, (_, index) =>
        editor.editText(file, ({ text }) => {
          const line = text.split('\n').length - 1;
          return [replace(line, 0, 0, `${index}\n`)];
        }),
      );
      const expected = Array.from({ length: 20 }, (_, index) => `${index}\n`).join('');
      assert.equal(await textOf(file), expected);
      await Promise.all(edits);
      assert.equal(await onDisk(file), expected);
    });

    it('a read that is asked for before an edit has ended waits for it, also if it needs no look at the disk', async () => {
      const file = await writeInWorkspace('turns/readAfter.txt', 'one\n');
      const old = new Date(Date.now() - 60_000);
      await utimes(file, old, old);
      for (const text of ['two\n', 'three\n']) {
        await editor.readText(file);
        const edit = editor.writeText(file, text);
        assert.equal(await textOf(file), text);
        await edit;
      }
      const last = editor.writeText(file, 'four\n');
      assert.equal(Buffer.from((await editor.readBytes(file)).bytes).toString(), 'four\n');
      await last;
    });

    it('in the order of the requests, although the first takes longest to be checked', async () => {
      const file = await writeInWorkspace('turns/order.txt', '');
      const exclude = new ExcludeList([]);
      const guard = new EverFasterGuard({
        folders: () => [inWorkspace()],
        exclude: () => exclude,
        isWindows: false,
      });
      const documents = new DocumentsByPath('test');
      documents.start();
      const allow = (): void => undefined;
      const notOnDisk = (): Promise<never> => Promise.reject(new EditorError('notFound', 'It is not on disk.'));
      const writer = new DocumentWriter(
        guard,
        documents,
        new KeyedQueue(),
        () => true,
        notOnDisk,
        systemClock,
        nullLogger,
      );
      try {
        const edits = ['c', 'b', 'a'].map((letter) => writer.editText(file, () => [replace(0, 0, 0, letter)], allow));
        await Promise.all(edits);
      } finally {
        documents.dispose();
      }
      assert.equal(await onDisk(file), 'abc');
    });

    it('also under two names', async () => {
      const file = await writeInWorkspace('turns/names.txt', '');
      const alias = inWorkspace('turns', 'namesAlias.txt');
      await symlink('names.txt', alias);
      const add = (name: string, letter: string): Promise<unknown> =>
        editor.editText(name, () => [replace(0, 0, 0, letter)]);
      await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((letter, at) => add(at % 2 ? alias : file, letter)));
      const text = await textOf(file);
      // Their order holds for one name only.
      assert.equal(text.split('').sort().join(''), 'abcdef');
      assert.equal(await onDisk(file), text);
    });

    it('and a failed one does not keep the next from its turn', async () => {
      const file = await writeInWorkspace('turns/failed.txt', 'one\n');
      const failed = editor.editText(file, () => [replace(9, 0, 0, 'x')]);
      const next = editor.editText(file, () => [replace(0, 0, 0, 'x')]);
      await assert.rejects(failed, editorError('invalidRange'));
      assert.equal((await next).text, 'xone\n');
    });
  });

  describe('when the user types before the edit comes to the text,', () => {
    /** An edit that is made while the user types a letter before it. */
    const overtaken = (shown: vscode.TextEditor, expectedVersion?: string): Promise<unknown> => {
      let typed: Promise<void> | undefined;
      const edit = editor.editText(
        shown.document.uri.fsPath,
        ({ text }) => {
          typed ??= type(shown, start, 'z');
          return [replace(0, text.indexOf('one'), text.indexOf('one') + 3, 'two')];
        },
        expectedVersion === undefined ? {} : { expectedVersion },
      );
      return edit.finally(() => typed);
    };

    it('an edit of the text as it then is', async () => {
      const shown = await show(await writeInWorkspace('turns/overtaken.txt', 'one\n'));
      await overtaken(shown);
      assert.equal(shown.document.getText(), 'ztwo\n');
    });

    it('none of a version that is gone by then', async () => {
      const file = await writeInWorkspace('turns/overtakenVersion.txt', 'one\n');
      const shown = await show(file);
      const { version } = await editor.readText(file);
      await assert.rejects(overtaken(shown, version), editorError('staleVersion'));
      assert.equal(shown.document.getText(), 'zone\n');
    });
  });

  describe('of the version it was told:', () => {
    it('that of a closed file, of an edit, and of a buffer', async () => {
      const file = await writeInWorkspace('turns/version.txt', 'one\n');
      const read = await editor.readText(file);
      const first = await editor.writeText(file, 'two\n', { expectedVersion: read.version });
      const second = await editor.writeText(file, 'three\n', { expectedVersion: first.version });
      assert.equal((await editor.readText(file)).version, second.version);
      assert.equal(new Set([read.version, first.version, second.version]).size, 3);
    });

    it('not of one that was edited, typed over or written on disk since', async () => {
      const file = await writeInWorkspace('turns/stale.txt', 'one\n');
      const { version: closed } = await editor.readText(file);
      await writeFile(file, 'two\n');
      await assert.rejects(editor.writeText(file, 'x', { expectedVersion: closed }), editorError('staleVersion'));
      const { version: edited } = await editor.writeText(file, 'three\n');
      await editor.writeText(file, 'four\n');
      await assert.rejects(
        editor.editText(file, () => [replace(0, 0, 0, 'x')], { expectedVersion: edited }),
        editorError('staleVersion'),
      );
      const shown = await show(file);
      const { version: open } = await editor.readText(file);
      await type(shown, start, 'typed ');
      await assert.rejects(editor.writeText(file, 'x', { expectedVersion: open }), editorError('staleVersion'));
      assert.equal(shown.document.getText(), 'typed four\n');
    });

    it('not of one that was closed and opened again with another text', async () => {
      const file = await writeInWorkspace('turns/reopened.txt', 'one\n');
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
      const { version } = await editor.readText(file);
      assert.match(version, /^buffer:/);
      await closeAll();
      await writeFile(file, 'two\n');
      // VS Code keeps the document for three minutes if it has asked an extension for the ranges of comments, and then reads it again.
      const { document } = await show(file);
      await eventually('the new text', () => assert.equal(document.getText(), 'two\n'));
      await assert.rejects(editor.writeText(file, 'x', { expectedVersion: version }), editorError('staleVersion'));
    });
  });
});
