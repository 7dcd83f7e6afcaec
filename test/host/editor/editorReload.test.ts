import assert from 'node:assert/strict';
import { mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { EditorError, type TextEdit, type TextFile } from '../../../src/editor/common/editorPort';
import { AdapterUnderTest, editorError } from '../support/editorAdapter';
import { eventually, until } from '../../support/eventually';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

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

  /**
   * Refused, and nothing changed, until VS Code has seen the writing. On a busy machine VS Code may have the text, but the time
   * from before: then it does not save, which is said, and the edit is in the buffer.
   */
  async function edited(file: string): Promise<TextFile | undefined> {
    return await eventually('the edit', async () => {
      const edit = subject.adapter.editText(file, () => [atStart('zero\n')]);
      return await edit.catch((error: unknown) => {
        if (error instanceof EditorError && error.code === 'saveFailed') return undefined;
        throw error;
      });
    });
  }

  async function editedAfterWriting(name: string, delayMs: number): Promise<void> {
    let files = 0;
    await eventually('an edit that is saved', async () => {
      const file = await writeInWorkspace(`reload/${name}-${++files}.txt`, 'one\nlast\n');
      const { document } = await show(file);
      // Each delay is another moment while VS Code reads the file.
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await writeFile(file, 'one\ntwo\nlast\n');
      const answer = await edited(file);
      assert.equal(document.getText(), 'zero\none\ntwo\nlast\n');
      assert.deepEqual([answer?.text, answer?.isDirty], ['zero\none\ntwo\nlast\n', false]);
      assert.equal(await readFile(file, 'utf8'), answer?.text);
    });
  }

  it('is edited as it is on disk, and nothing of that is lost', async () => {
    await editedAfterWriting('edited', 0);
  });

  it('is saved with the edit, whenever it was written while VS Code read it', async () => {
    for (let delayMs = 0; delayMs < 250; delayMs += 25) await editedAfterWriting(`after-${delayMs}`, delayMs);
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

  /** In a folder that `files.watcherExclude` of the test window contains. */
  describe('in a folder whose changes VS Code does not notice', () => {
    let files = 0;
    const outdatedDocument = async (
      before: string | Uint8Array,
      now: string | Uint8Array,
      open: (uri: vscode.Uri) => Thenable<vscode.TextDocument> = (uri) => vscode.workspace.openTextDocument(uri),
    ): Promise<vscode.TextDocument> => {
      const file = await writeInWorkspace(`reload/unwatched/${++files}.txt`, before);
      const document = await open(vscode.Uri.file(file));
      await writeFile(file, now);
      return document;
    };

    it('is read as it is on disk', async () => {
      const document = await outdatedDocument('one\n', 'two\n');
      const { text, isDirty } = await subject.adapter.readText(document.uri.fsPath);
      assert.deepEqual([text, isDirty], ['two\n', false]);
      assert.equal(document.getText(), 'one\n', 'VS Code still has the text from before');
    });

    it('is read as it is in the editor once it has unsaved changes', async () => {
      const document = await outdatedDocument('one\n', 'two\n', async (uri) => {
        const editor = await show(uri.fsPath);
        await type(editor, new vscode.Position(0, 0), 'un');
        return editor.document;
      });
      const { text, isDirty } = await subject.adapter.readText(document.uri.fsPath);
      assert.deepEqual([text, isDirty], ['unone\n', true]);
    });

    it('is read with the encoding with which it was opened', async () => {
      const document = await outdatedDocument('one\n', Buffer.from('gr\xfc\xdfe\n', 'latin1'), (uri) =>
        vscode.workspace.openTextDocument(uri, { encoding: 'windows1252' }),
      );
      const { hasInvalidBytes, text } = await subject.adapter.readText(document.uri.fsPath);
      assert.deepEqual([text, hasInvalidBytes], ['grüße\n', undefined]);
    });

    it('is read again after each writing', async () => {
      const document = await outdatedDocument('one\n', 'two\n');
      const file = document.uri.fsPath;
      const texts: string[] = [];
      for (const text of ['one\n', 'three\n', 'three\n', 'one\n', 'four\n']) {
        await writeFile(file, text);
        texts.push((await subject.adapter.readText(file)).text);
      }
      assert.deepEqual(texts, ['one\n', 'three\n', 'three\n', 'one\n', 'four\n']);
    });

    it('is read as it is in the buffer if the text is for language features', async () => {
      const document = await outdatedDocument('one\n', 'two\n');
      const { text } = await subject.adapter.readText(document.uri.fsPath, { fromBuffer: 'asIs' });
      assert.equal(text, 'one\n');
    });

    it('is compared again after both had the same text', async () => {
      const document = await outdatedDocument('one\n', 'one\n');
      const file = document.uri.fsPath;
      const buffer = { text: 'one\n', isBuffer: true };
      const read = async (): Promise<typeof buffer> => {
        const { text, version } = await subject.adapter.readText(file);
        return { text, isBuffer: version.startsWith('buffer:') };
      };
      // Timestamps of a file that was just written do not prove that it is the same.
      const { ctimeMs } = await stat(file);
      await until('the times of the file prove that it is the same', () => Date.now() - ctimeMs > 2_000);
      assert.deepEqual([await read(), await read()], [buffer, buffer]);
      await writeFile(file, 'two\n');
      assert.deepEqual(await read(), { text: 'two\n', isBuffer: false });
      await until('the times prove it again', async () => Date.now() - (await stat(file)).ctimeMs > 2_000);
      const newer = { text: 'two\n', isBuffer: false };
      assert.deepEqual([await read(), await read()], [newer, newer]);
      await assert.rejects(subject.adapter.readText(file, { maxBytes: 3 }), editorError('tooLarge'));
      await subject.adapter.editText(file, () => [atStart('zero\n')]);
      assert.deepEqual(await read(), { text: 'zero\ntwo\n', isBuffer: true });
    });

    it('is updated in the buffer for questions about its symbols', async () => {
      const document = await outdatedDocument('one\n', 'two\n');
      const { text, version } = await subject.adapter.readText(document.uri.fsPath, { fromBuffer: 'updated' });
      assert.deepEqual([text, document.getText()], ['two\n', 'two\n']);
      assert.match(version, /^buffer:/);
    });

    it('is refused when it has become larger than the limit', async () => {
      const document = await outdatedDocument('one\n', 'x'.repeat(5_000));
      await assert.rejects(subject.adapter.readText(document.uri.fsPath, { maxBytes: 1_000 }), editorError('tooLarge'));
    });

    for (const [name, mark] of [
      ['UTF-8', ''],
      ['UTF-8 with BOM', '\ufeff'],
    ] as const) {
      it(`is edited and saved as it is on disk, in ${name}`, async () => {
        const document = await outdatedDocument(`${mark}one\n`, `${mark}größer\n`);
        const file = document.uri.fsPath;
        const { encoding } = document;
        const { version } = await subject.adapter.readText(file);
        const { text } = await subject.adapter.editText(file, () => [atStart('zero\n')], { expectedVersion: version });
        assert.equal(text, 'zero\ngrößer\n');
        assert.equal(await readFile(file, 'utf8'), `${mark}zero\ngrößer\n`);
        assert.deepEqual([document.encoding, document.isDirty], [encoding, false]);
      });
    }

    it('is not edited in another encoding, since VS Code cannot be made to read it again', async () => {
      const document = await outdatedDocument('one\n', 'two\n', (uri) =>
        vscode.workspace.openTextDocument(uri, { encoding: 'windows1252' }),
      );
      const file = document.uri.fsPath;
      const edit = subject.adapter.editText(file, () => [atStart('zero\n')]);
      await assert.rejects(edit, { ...editorError('staleVersion'), message: /Revert File/ });
      assert.equal(await readFile(file, 'utf8'), 'two\n');
    });

    it('loses its byte order mark if it has none on disk any more', async () => {
      const document = await outdatedDocument('\ufeffone\n', 'two\n');
      const file = document.uri.fsPath;
      await subject.adapter.editText(file, () => [atStart('zero\n')]);
      assert.deepEqual([await readFile(file, 'utf8'), document.encoding], ['zero\ntwo\n', 'utf8']);
    });

    it('is not edited in a visible editor, where the user may be typing', async () => {
      const file = await writeInWorkspace(`reload/unwatched/${++files}.txt`, 'one\n');
      const { document } = await show(file);
      let writings = 0;
      // VS Code reads a file once more soon after it has shown it.
      await eventually('a text that VS Code has not read again', async () => {
        if (document.isDirty) await vscode.commands.executeCommand('workbench.action.files.revert');
        await writeFile(file, `${++writings}\n`);
        const edit = subject.adapter.editText(file, () => [atStart('zero\n')]);
        await assert.rejects(edit, { ...editorError('staleVersion'), message: /Revert File/ });
      });
      assert.deepEqual([await readFile(file, 'utf8'), document.encoding], [`${writings}\n`, 'utf8']);
    });

    it('is not edited if its folder has become a link that leads outside meanwhile', async () => {
      const outside = await mkdtemp(path.join(tmpdir(), 'backline-outside-'));
      try {
        await writeFile(path.join(outside, 'a.txt'), 'outside\n');
        const file = await writeInWorkspace('reload/unwatched/swapped/a.txt', 'one\n');
        const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
        await writeFile(file, 'two\n');
        let isWaiting = true;
        const edit = subject.adapter.editText(file, () => {
          throw new Error('VS Code has the text of another file.');
        });
        const refused = assert.rejects(edit, editorError('outsideWorkspace'));
        void edit.catch(() => undefined).finally(() => (isWaiting = false));
        // The edit waits for a second until VS Code reads the file again.
        const startedAt = Date.now();
        await until('the edit waits', () => Date.now() - startedAt > 500);
        assert.equal(isWaiting, true);
        await rename(path.dirname(file), `${path.dirname(file)}-away`);
        await symlink(outside, path.dirname(file));
        await refused;
        assert.equal(await readFile(path.join(outside, 'a.txt'), 'utf8'), 'outside\n');
        assert.equal(document.isDirty, false);
      } finally {
        await rm(inWorkspace('reload', 'unwatched', 'swapped'), { force: true });
        await rm(outside, { recursive: true, force: true });
      }
    });
  });
});
