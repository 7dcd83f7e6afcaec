import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { readFile, rm, symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { EditorPort } from '../../../src/editor/common/editorPort';
import { until } from '../../support/eventually';
import { AdapterUnderTest } from '../support/editorAdapter';
import { closeAll, inWorkspace, setSetting, show, writeInWorkspace } from '../support/workspace';

const mark = '\ufeff';
const windows1252 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Sets what VS Code reads and writes files as while `work` runs. */
async function withEncoding(encoding: string, work: () => Promise<void>): Promise<void> {
  await setSetting('files.encoding', encoding);
  try {
    await work();
  } finally {
    await setSetting('files.encoding', undefined);
  }
}

describe('VsCodeEditor leaves every other byte of a file as it was:', () => {
  let subject: AdapterUnderTest;
  let editor: EditorPort;
  before(() => {
    subject = new AdapterUnderTest();
    editor = subject.adapter;
  });
  afterEach(closeAll);
  after(async () => {
    subject.dispose();
    await rm(inWorkspace('bytes'), { recursive: true, force: true });
    await until('VS Code has copied all of them to its local history', hasCopiedAll);
  });

  /** Whether the process of VS Code's that copies saved files has closed them. Where /proc can't tell, it has. */
  function hasCopiedAll(): boolean {
    const folder = `/proc/${process.ppid}/fd`;
    return (existsSync(folder) ? readdirSync(folder) : []).every((name) => {
      try {
        return !readlinkSync(`${folder}/${name}`).startsWith(inWorkspace('bytes'));
      } catch {
        return true;
      }
    });
  }

  type Encode = (text: string) => Buffer;
  const utf8: Encode = (text) => Buffer.from(text);
  const files: readonly [what: string, name: string, lineEnding: string, encode: Encode][] = [
    ['LF', 'lf.txt', '\n', utf8],
    ['CRLF', 'crlf.txt', '\r\n', utf8],
    ['a UTF-8 byte order mark', 'bom.txt', '\n', (text) => utf8(mark + text)],
    ['a UTF-8 byte order mark and CRLF', 'bomCrlf.txt', '\r\n', (text) => utf8(mark + text)],
    ['UTF-16LE', 'utf16le.txt', '\r\n', (text) => Buffer.from(mark + text, 'utf16le')],
    ['UTF-16BE', 'utf16be.txt', '\n', (text) => Buffer.from(mark + text, 'utf16le').swap16()],
  ];

  /** Edits `grüße` in the second of three lines in each way there is, of a closed file or of one that is shown. */
  async function check(name: string, lineEnding: string, encode: Encode, isShown: boolean): Promise<void> {
    const withLine = (line: string, ending = lineEnding): string => ['ein', line, 'drei', ''].join(ending);
    const file = await writeInWorkspace(`bytes/${name}`, encode(withLine('grüße')));
    if (isShown) await show(file);
    const { text } = await editor.editText(file, () => [
      { range: { start: { line: 1, character: 2 }, end: { line: 1, character: 4 } }, newText: 'üss' },
    ]);
    assert.equal(text, withLine('grüsse'));
    assert.deepEqual(await readFile(file), encode(withLine('grüsse')));
    for (const [line, ending] of [
      ['Fuß', '\n'],
      ['Füße', '\r\n'],
      ['für', '\r'],
    ] as const) {
      assert.equal((await editor.writeText(file, withLine(line, ending))).text, withLine(line));
      assert.deepEqual(await readFile(file), encode(withLine(line)));
    }
    assert.equal((await editor.writeText(file, mark + withLine('ohne'))).text, withLine('ohne'));
    assert.deepEqual(await readFile(file), encode(withLine('ohne')));
  }

  for (const isShown of [false, true]) {
    const where = isShown ? 'in an editor' : 'on disk';
    for (const [what, name, lineEnding, encode] of files) {
      it(`${what}, ${where}`, () => check(`${isShown}-${name}`, lineEnding, encode, isShown));
    }
    it(`windows-1252, ${where}`, () =>
      withEncoding('windows1252', () => check(`${isShown}-latin.txt`, '\r\n', windows1252, isShown)));
  }

  it('line endings given inside an edit become those of the file', async () => {
    const file = await writeInWorkspace('bytes/inside.txt', 'one\r\ntwo\r\n');
    const at = { line: 0, character: 3 };
    await editor.editText(file, () => [{ range: { start: at, end: at }, newText: '\n1.5' }]);
    assert.equal(await readFile(file, 'utf8'), 'one\r\n1.5\r\ntwo\r\n');
  });

  for (const isShown of [false, true]) {
    const where = isShown ? 'in an editor' : 'on disk';
    for (const [what, encode] of [
      ['UTF-8', utf8],
      ['UTF-8 with a byte order mark', (text) => utf8(mark + text)],
      ['UTF-16LE', (text) => Buffer.from(mark + text, 'utf16le')],
    ] as readonly [string, Encode][]) {
      it(`mixed line endings in ${what}, ${where}, also when the edit is taken back`, async () => {
        const before = 'a\r\nb\nc\rd\r\ne';
        const file = await writeInWorkspace(`bytes/mixed-${isShown}-${what.length}.txt`, encode(before));
        if (isShown) await show(file);
        const { text } = await editor.readText(file);
        const changed = await editor.writeText(file, text.replace('b', 'two'));
        assert.equal(changed.text, text.replace('b', 'two'));
        assert.deepEqual(await readFile(file), encode(before.replace('b', 'two')));
        const again = await editor.editText(file, () => [
          { range: { start: { line: 2, character: 0 }, end: { line: 2, character: 1 } }, newText: 'three' },
        ]);
        assert.equal(again.text, text.replace('b', 'two').replace('c', 'three'));
        await editor.writeText(file, text);
        assert.deepEqual(await readFile(file), encode(before));
      });
    }
  }

  it('mixed line endings, also before VS Code has noticed that they were restored', async () => {
    const before = 'a\r\nb\nc\rd\r\ne';
    const file = await writeInWorkspace('unwatched/mixed.txt', before);
    const { text } = await editor.readText(file);
    let [textNow, onDisk] = [text, before];
    for (const letter of ['b', 'c', 'd']) {
      textNow = textNow.replace(letter, `${letter}!`);
      onDisk = onDisk.replace(letter, `${letter}!`);
      assert.equal((await editor.writeText(file, textNow)).text, textNow);
      assert.equal(await readFile(file, 'utf8'), onDisk);
    }
  });

  it('mixed line endings, unless the user has chosen one for the file', async () => {
    const file = await writeInWorkspace('bytes/chosen.txt', 'a\nb\r\nc\n');
    const shown = await show(file);
    await shown.edit((edit) => edit.setEndOfLine(vscode.EndOfLine.CRLF));
    await editor.save(file);
    assert.equal(await readFile(file, 'utf8'), 'a\r\nb\r\nc\r\n');
  });

  it('a new file is written in the encoding that the settings name', () =>
    withEncoding('windows1252', async () => {
      const file = inWorkspace('bytes', 'new.txt');
      assert.equal((await editor.writeText(file, 'grüße')).text, 'grüße');
      assert.deepEqual(await readFile(file), windows1252('grüße'));
    }));

  it('an edit through a link leaves the link', async () => {
    const file = await writeInWorkspace('bytes/target.txt', 'one');
    const link = inWorkspace('bytes', 'link.txt');
    await symlink('target.txt', link);
    await editor.writeText(link, 'two');
    assert.equal(await readFile(file, 'utf8'), 'two');
    assert.equal((await vscode.workspace.fs.stat(vscode.Uri.file(link))).type & vscode.FileType.SymbolicLink, 64);
  });
});
