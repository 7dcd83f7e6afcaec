import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { EditorPort } from '../../../src/editor/common/editorPort';
import { decodeTextOrThrow } from '../../../src/editor/vscode/encodings';
import { AdapterUnderTest, editorError, replace } from '../support/editorAdapter';
import { closeAll, inWorkspace, show, writeInWorkspace } from '../support/workspace';

const latin1 = Buffer.from('caf\xe9 na\xefve\nd\xe9j\xe0 vu\n', 'latin1');

async function setEncoding(value: string | undefined): Promise<void> {
  await vscode.workspace.getConfiguration('files').update('encoding', value, vscode.ConfigurationTarget.Global);
}

describe('VsCodeEditor and bytes that an encoding does not have', () => {
  let subject: AdapterUnderTest;
  let editor: EditorPort;

  before(() => {
    subject = new AdapterUnderTest();
    editor = subject.adapter;
  });
  afterEach(async () => {
    await closeAll();
    await setEncoding(undefined);
  });
  after(async () => {
    subject.dispose();
    await rm(inWorkspace('encoding'), { recursive: true, force: true });
  });

  for (const where of ['on disk', 'in an editor']) {
    it(`gives the text with a hint, and refuses every edit, ${where}`, async () => {
      const file = await writeInWorkspace(`encoding/latin1 ${where}.txt`, latin1);
      if (where === 'in an editor') await show(file);
      const { text, hasInvalidBytes } = await editor.readText(file);
      assert.deepEqual([text.split('\n')[0], hasInvalidBytes], ['caf\ufffd na\ufffdve', true]);
      assert.equal((await editor.readText(file)).hasInvalidBytes, true);
      await assert.rejects(
        editor.editText(file, () => [replace(0, 0, 1, 'C')]),
        editorError('notText'),
      );
      await assert.rejects(editor.writeText(file, text.replace('c', 'C')), editorError('notText'));
      await assert.rejects(editor.writeText(file, 'all new'), editorError('notText'));
      assert.deepEqual(await readFile(file), latin1);
      assert.deepEqual(
        vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty),
        [],
      );
    });
  }

  it('decodes bytes of a checkpoint as it reads the file, and refuses what it could not write back', async () => {
    const texts = ['one\r\ntwo\nthree\r\n', '\ufeffcafé\n', 'plain\n', ''].map((text) => Buffer.from(text));
    texts.push(Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('wide\n', 'utf16le')]));
    for (const [at, bytes] of texts.entries()) {
      const file = await writeInWorkspace(`encoding/checkpoint${at}.txt`, bytes);
      assert.equal(await decodeTextOrThrow(bytes, file), (await editor.readText(file)).text);
    }
    const file = inWorkspace('encoding/checkpoint.txt');
    await assert.rejects(decodeTextOrThrow(latin1, file), editorError('notText'));
    await assert.rejects(decodeTextOrThrow(Buffer.of(0x61, 0), file), editorError('notText'));
  });

  it('edits the file in the encoding that the user has set for it, byte by byte', async () => {
    await setEncoding('windows1252');
    const file = await writeInWorkspace('encoding/windows1252.txt', latin1);
    const { text, hasInvalidBytes } = await editor.readText(file);
    assert.deepEqual([text, hasInvalidBytes], ['café naïve\ndéjà vu\n', undefined]);
    await editor.editText(file, () => [replace(0, 0, 1, 'C€')]);
    const expected = Buffer.concat([Buffer.from([0x43, 0x80]), latin1.subarray(1)]);
    assert.deepEqual(await readFile(file), expected);
  });

  it('refuses new text that the encoding has no bytes for, in a file and as a new one', async () => {
    await setEncoding('windows1252');
    const file = await writeInWorkspace('encoding/lacking.txt', latin1);
    await assert.rejects(
      editor.editText(file, () => [replace(0, 0, 0, '日本 😀')]),
      editorError('invalidText'),
    );
    await assert.rejects(editor.writeText(file, 'café 😀'), editorError('invalidText'));
    const missing = inWorkspace('encoding', 'new.txt');
    await assert.rejects(editor.writeText(missing, '😀'), editorError('invalidText'));
    await assert.rejects(editor.stat(missing), editorError('notFound'));
    assert.deepEqual(await readFile(file), latin1);
    await editor.writeText(missing, 'é');
    assert.deepEqual(await readFile(missing), Buffer.from([0xe9]));
  });

  it('refuses half a surrogate pair', async () => {
    const file = await writeInWorkspace('encoding/surrogate.txt', 'a\n');
    await assert.rejects(
      editor.editText(file, () => [replace(0, 0, 0, '\ud83d')]),
      editorError('invalidText'),
    );
    await assert.rejects(editor.writeText(file, 'b\ude00'), editorError('invalidText'));
    await assert.rejects(editor.writeText(inWorkspace('encoding', 'n.txt'), '\ud83d'), editorError('invalidText'));
    assert.equal(await readFile(file, 'utf8'), 'a\n');
  });

  it('keeps every byte beside the edit in UTF-8 and UTF-16, with and without byte order mark', async () => {
    const text = 'ä\ufffd😀\nend\n';
    for (const [name, bytes] of [
      ['utf8', Buffer.from(text)],
      ['utf8bom', Buffer.from(`\ufeff${text}`)],
      ['utf16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
      ['utf16be', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ] as const) {
      const file = await writeInWorkspace(`encoding/${name}.txt`, bytes);
      assert.equal((await editor.readText(file)).hasInvalidBytes, undefined, name);
      await editor.editText(file, () => [replace(1, 0, 3, 'END')]);
      const expected = Buffer.from(bytes);
      const encoding = name.startsWith('utf8') ? 'utf8' : 'utf16le';
      const [from, to] = [Buffer.from('end', encoding), Buffer.from('END', encoding)];
      if (name === 'utf16be') [from, to].forEach((each) => each.swap16());
      to.copy(expected, expected.indexOf(from));
      assert.deepEqual(await readFile(file), expected, name);
      await closeAll();
    }
  });
});
