import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EditorError, type EditorErrorCode, type EditorPort } from '../../../../src/editor/common/editorPort';
import { defaultExclude, ExcludeList } from '../../../../src/editor/common/excludeList';
import { ProtectedFiles } from '../../../../src/editor/common/protection/protectedFiles';
import { DiskEditor } from '../../../../src/editor/node/diskEditor';

const range = (line: number, from: number, to: number) => ({
  start: { line, character: from },
  end: { line, character: to },
});

function codeIs(code: EditorErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof EditorError && error.code === code;
}

describe('the editor over the disk', () => {
  let root: string;
  let ws: string;
  const protectedFiles = new ProtectedFiles();
  let editor: EditorPort;
  const file = (name: string): string => join(ws, name);

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'backline-disk-')));
    ws = join(root, 'ws');
    await mkdir(join(ws, 'src'), { recursive: true });
    await writeFile(file('src/a.ts'), 'one\ntwo\n');
    editor = new DiskEditor([ws], new ExcludeList(defaultExclude), () => protectedFiles);
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  it('reads texts as VS Code does: without byte order mark, with one kind of line ending', async () => {
    await writeFile(file('bom.txt'), '\ufeffä\r\nb\r\nc\n');
    const { text, path, isDirty } = await editor.readText(file('bom.txt'));
    assert.deepEqual([text, path, isDirty], ['ä\r\nb\r\nc\r\n', file('bom.txt'), false]);
  });

  it('keeps byte order mark and line endings of what it writes', async () => {
    await writeFile(file('bom.txt'), '\ufeffa\r\nb\r\n');
    await editor.writeText(file('bom.txt'), 'a\nB\nc\n');
    assert.equal(await readFile(file('bom.txt'), 'utf8'), '\ufeffa\r\nB\r\nc\r\n');
  });

  it('keeps mixed line endings of what it does not change', async () => {
    await writeFile(file('mixed.txt'), 'a\r\nb\nc\rd\r\n');
    await editor.writeText(file('mixed.txt'), 'a\nB\nc\nd\n');
    assert.equal(await readFile(file('mixed.txt'), 'utf8'), 'a\r\nB\nc\rd\r\n');
  });

  it('makes a file and its folders', async () => {
    const { text } = await editor.writeText(file('new/deep/b.ts'), 'hello');
    assert.equal(text, 'hello');
    assert.equal(await readFile(file('new/deep/b.ts'), 'utf8'), 'hello');
  });

  it('edits a place, and only in the version that is meant', async () => {
    const before = await editor.readText('src/a.ts');
    const after = await editor.editText('src/a.ts', () => [{ range: range(1, 0, 3), newText: 'TWO' }], {
      expectedVersion: before.version,
    });
    assert.equal(after.text, 'one\nTWO\n');
    assert.notEqual(after.version, before.version);
    await assert.rejects(
      editor.writeText('src/a.ts', 'late', { expectedVersion: before.version }),
      codeIs('staleVersion'),
    );
    await assert.rejects(
      editor.editText(file('none.ts'), () => []),
      codeIs('notFound'),
    );
    assert.equal(await readFile(file('src/a.ts'), 'utf8'), 'one\nTWO\n');
  });

  it('makes edits of one file one after another', async () => {
    const append = () =>
      editor.editText('src/a.ts', ({ text }) => {
        const line = text.split('\n').length - 1;
        return [{ range: range(line, 0, 0), newText: 'x\n' }];
      });
    await Promise.all(Array.from({ length: 20 }, append));
    assert.equal(await readFile(file('src/a.ts'), 'utf8'), `one\ntwo\n${'x\n'.repeat(20)}`);
  });

  it('stays inside its folders, and away from what no agent may see', async () => {
    await writeFile(join(root, 'outside.txt'), 'secret');
    await writeFile(file('.env'), 'secret');
    await symlink(join(root, 'outside.txt'), file('link.txt'));
    await symlink(root, file('up'));
    for (const path of ['/etc/passwd', '../outside.txt', 'link.txt', 'up/outside.txt', 'up/new.txt']) {
      await assert.rejects(editor.readText(path), codeIs('outsideWorkspace'));
      await assert.rejects(editor.readBytes(path), codeIs('outsideWorkspace'));
      await assert.rejects(editor.writeText(path, 'x'), codeIs('outsideWorkspace'));
    }
    await assert.rejects(editor.readText('.env'), codeIs('excluded'));
    await assert.rejects(editor.writeText('.env', 'x'), codeIs('excluded'));
    assert.equal(await readFile(join(root, 'outside.txt'), 'utf8'), 'secret');
  });

  it('knows a protected file behind a link, and a link with a protected name', async () => {
    await mkdir(file('.vscode'));
    await writeFile(file('.vscode/tasks.json'), '{}');
    await symlink('.vscode', file('linked'));
    await symlink('.vscode/tasks.json', file('notes.txt'));
    await symlink('src/a.ts', file('AGENTS.md'));
    for (const name of ['linked/tasks.json', 'linked/new.json', 'notes.txt', 'AGENTS.md', '.VSCODE/new.json']) {
      await assert.rejects(editor.writeText(name, 'x'), codeIs('protected'), name);
      assert.notEqual(await editor.protectionOf(name), undefined);
    }
    assert.equal(await readFile(file('.vscode/tasks.json'), 'utf8'), '{}');
    await editor.writeText('notes.txt', '[]', { protectedFiles: 'allow' });
    assert.equal(await readFile(file('.vscode/tasks.json'), 'utf8'), '[]');
  });

  it('knows the files that links of the workspace make protected ones', async () => {
    await mkdir(file('config/ci'), { recursive: true });
    await mkdir(file('.github'));
    await mkdir(file('.git'));
    await writeFile(file('config/tasks.json'), '{}');
    await writeFile(file('config/guide.md'), 'x');
    await symlink('config', file('.vscode'));
    await symlink('../config/ci', file('.github/workflows'));
    await symlink('../tools', file('.git/hooks'));
    await symlink('config/guide.md', file('CLAUDE.md'));
    await symlink('nowhere', file('.husky'));
    await mkdir(file('tools'));
    for (const name of [
      'config/tasks.json',
      'config/new.json',
      'config/ci/a.yml',
      'config/guide.md',
      'tools/pre-push',
    ]) {
      await assert.rejects(editor.writeText(name, 'y'), codeIs('protected'), name);
      assert.notEqual(await editor.protectionOf(name), undefined, name);
    }
    await editor.writeText('src/a.ts', 'y');
  });

  it('reports what is no text', async () => {
    await writeFile(file('image.bin'), Buffer.from([0x89, 0x50, 0x00, 0xff]));
    await writeFile(file('latin1.txt'), Buffer.from([0x61, 0xe4, 0x62]));
    await assert.rejects(editor.readText('image.bin'), codeIs('notText'));
    await assert.rejects(editor.readText('latin1.txt'), codeIs('notText'));
    await assert.rejects(editor.writeText('latin1.txt', 'x'), codeIs('notText'));
    await assert.rejects(editor.readText('src'), codeIs('isDirectory'));
    await assert.rejects(editor.readText('src/a.ts', { maxBytes: 3 }), codeIs('tooLarge'));
    assert.equal((await editor.readBytes('latin1.txt')).fileSize, 3);
    assert.equal((await editor.stat('src')).type, 'directory');
  });

  it('finds files by a glob, without hidden ones and without following links', async () => {
    await writeFile(file('.env'), '');
    await writeFile(file('b.ts'), '');
    await symlink(root, file('up'));
    assert.deepEqual(await editor.glob('**/*'), [file('b.ts'), file('src/a.ts')]);
    assert.deepEqual(await editor.glob('*.ts'), [file('b.ts')]);
    assert.deepEqual((await editor.glob('**/*', { maxResults: 1 })).length, 1);
  });

  it('cannot show anything', async () => {
    assert.deepEqual(await editor.diagnostics(), []);
    await assert.rejects(editor.open('src/a.ts'), codeIs('unsupportedUri'));
    await assert.rejects(editor.showDiff('src/a.ts', 'x', 'A title'), codeIs('unsupportedUri'));
  });
});
