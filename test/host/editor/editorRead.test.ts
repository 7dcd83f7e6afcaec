import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { EditorPort } from '../../../src/editor/common/editorPort';
import { AdapterUnderTest } from '../support/editorAdapter';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, setSetting, show, type, writeInWorkspace } from '../support/workspace';

const start = new vscode.Position(0, 0);

/** Old enough for its time stamps to be trusted. */
async function makeOld(file: string): Promise<void> {
  const then = new Date(Date.now() - 60_000);
  await utimes(file, then, then);
}

describe('reading through the editor', () => {
  let subject: AdapterUnderTest;
  let editor: EditorPort;
  let outside: string;

  before(async () => {
    outside = await mkdtemp(path.join(tmpdir(), 'backline-outside-'));
    await writeFile(path.join(outside, 'secret.txt'), 'secret');
  });
  beforeEach(() => {
    subject = new AdapterUnderTest();
    editor = subject.adapter;
  });
  afterEach(async () => {
    subject.dispose();
    await closeAll();
    await rm(inWorkspace('read'), { recursive: true, force: true });
  });
  after(() => rm(outside, { recursive: true, force: true }));

  const textOf = async (file: string): Promise<string> => (await editor.readText(file)).text;
  const rejects = (work: Promise<unknown>, code: string): Promise<void> =>
    assert.rejects(work, { name: 'EditorError', code });

  describe('text', () => {
    it('comes from the buffer when there is one, saved or not', async () => {
      const file = await writeInWorkspace('read/buffer.txt', 'disk\n');
      assert.deepEqual([await textOf(file), (await editor.readText(file)).isDirty], ['disk\n', false]);
      const shown = await show(file);
      const clean = await editor.readText(file);
      await type(shown, start, 'un');
      const dirty = await editor.readText(file);
      assert.deepEqual([dirty.text, dirty.isDirty], ['undisk\n', true]);
      assert.notEqual(dirty.version, clean.version);
    });

    it('of a deleted file is still there while it is open', async () => {
      const file = await writeInWorkspace('read/deleted.txt', 'kept\n');
      const shown = await show(file);
      await type(shown, start, 'still ');
      await rm(file);
      assert.equal(await textOf(file), 'still kept\n');
    });

    it('of a buffer is found under another name of the file', async () => {
      const file = await writeInWorkspace('read/real.txt', 'real\n');
      const link = inWorkspace('read', 'link.txt');
      await symlink(file, link);
      await type(await show(link), start, 'un');
      // Where a link leads is asked of the disk.
      await eventually('the text of the buffer', async () => assert.equal(await textOf(file), 'unreal\n'));
    });

    it('of a buffer is not taken for a file its link no longer leads to', async () => {
      const file = await writeInWorkspace('read/first.txt', 'first\n');
      const link = inWorkspace('read', 'moving.txt');
      await symlink(file, link);
      await type(await show(link), start, 'un');
      await rm(link);
      await symlink(path.join(outside, 'secret.txt'), link);
      assert.equal(await textOf(file), 'first\n');
      await rejects(textOf(link), 'outsideWorkspace');
    });

    it('keeps CRLF, and leaves the byte order mark out, open or not', async () => {
      const file = await writeInWorkspace('read/crlf.txt', '\ufeffone\r\ntwo\r\n');
      assert.equal(await textOf(file), 'one\r\ntwo\r\n');
      await show(file);
      assert.equal(await textOf(file), 'one\r\ntwo\r\n');
    });

    it('is the same whether or not a file with mixed line endings is open', async () => {
      const file = await writeInWorkspace('read/mixed.txt', 'a\r\nb\nc\rd\r\n');
      const closed = await textOf(file);
      await show(file);
      assert.equal(await textOf(file), closed);
    });

    it('is decoded as VS Code does: UTF-16, the configured encoding, invalid UTF-8', async () => {
      const utf16 = await writeInWorkspace('read/utf16.txt', Buffer.from('\ufeffgrüße', 'utf16le'));
      assert.equal(await textOf(utf16), 'grüße');
      const invalid = await writeInWorkspace('read/invalid.txt', Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x62]));
      const closed = await textOf(invalid);
      assert.match(closed, /\ufffd/);
      assert.equal((await show(invalid)).document.getText(), closed);
      await setSetting('files.encoding', 'windows1252');
      try {
        const latin = await writeInWorkspace('read/latin.txt', Buffer.from('gr\xfc\xdfe', 'latin1'));
        assert.equal(await textOf(latin), 'grüße');
      } finally {
        await setSetting('files.encoding', undefined);
      }
    });

    for (const [kind, named] of [
      ['an absolute', (file: string) => file],
      ['a relative', (file: string) => path.relative(inWorkspace(), file)],
    ] as const) {
      describe(`that is remembered for ${kind} path`, () => {
        it('is read anew when the file changes', async () => {
          const file = await writeInWorkspace('read/again.txt', 'one');
          await makeOld(file);
          const first = await editor.readText(named(file));
          assert.deepEqual(await editor.readText(named(file)), first);
          assert.equal(await editor.resolve(named(file)), file);
          await writeFile(file, 'two');
          const second = await editor.readText(named(file));
          assert.equal(second.text, 'two');
          assert.notEqual(second.version, first.version);
        });

        it('does not outlive the permission to read it', async () => {
          const file = await writeInWorkspace('read/later-secret.txt', 'x');
          await makeOld(file);
          await editor.readText(named(file));
          subject.changeExclude('later-secret.txt');
          await rejects(editor.resolve(named(file)), 'excluded');
          await rejects(editor.readText(named(file)), 'excluded');
          subject.changeExclude();
          assert.equal(await textOf(named(file)), 'x');
        });

        it('is not given for a path that leads elsewhere now', async () => {
          const folder = inWorkspace('read', 'folder');
          const file = await writeInWorkspace('read/folder/secret.txt', 'mine');
          await makeOld(file);
          await editor.readText(named(file));
          await rename(folder, inWorkspace('read', 'away'));
          await symlink(outside, folder);
          await rejects(editor.resolve(named(file)), 'outsideWorkspace');
          await rejects(editor.readText(named(file)), 'outsideWorkspace');
        });

        it('is not given once its folder has moved out and a link leads there', async () => {
          const folder = inWorkspace('read', 'leaving');
          const file = await writeInWorkspace('read/leaving/a.txt', 'mine');
          await makeOld(file);
          await editor.readText(named(file));
          // The file itself, its times included, does not change.
          const left = await mkdtemp(path.join(outside, 'left-'));
          await rename(folder, path.join(left, 'leaving'));
          await symlink(path.join(left, 'leaving'), folder);
          await rejects(editor.resolve(named(file)), 'outsideWorkspace');
          await rejects(editor.readText(named(file)), 'outsideWorkspace');
        });
      });
    }

    it('of 20 MB is read whole', async () => {
      const file = await writeInWorkspace('read/large.txt', Buffer.alloc(20_000_000, 'x'));
      assert.equal((await textOf(file)).length, 20_000_000);
    });

    it('over the limit of the caller is refused, on disk and in the buffer', async () => {
      const file = await writeInWorkspace('read/limit.txt', '12345');
      await rejects(editor.readText(file, { maxBytes: 4 }), 'tooLarge');
      await show(file);
      await rejects(editor.readText(file, { maxBytes: 4 }), 'tooLarge');
    });

    it('is not given to who gave up', async () => {
      const file = await writeInWorkspace('read/gave-up.txt', 'x');
      await rejects(editor.readText(file, { signal: AbortSignal.abort() }), 'cancelled');
    });
  });

  describe('what is no text', () => {
    it('is told apart: missing, a folder, binary, a FIFO', async () => {
      await mkdir(inWorkspace('read', 'folder'), { recursive: true });
      const binary = await writeInWorkspace('read/binary', Buffer.from([0x50, 0x4b, 0, 1]));
      const fifo = inWorkspace('read', 'fifo');
      execFileSync('mkfifo', [fifo]);
      await rejects(textOf(inWorkspace('read', 'missing.txt')), 'notFound');
      await rejects(textOf(inWorkspace('read', 'folder')), 'isDirectory');
      await rejects(textOf(binary), 'notText');
      await rejects(textOf(fifo), 'notAFile');
      assert.deepEqual(Buffer.from((await editor.readBytes(binary)).bytes), Buffer.from([0x50, 0x4b, 0, 1]));
      assert.equal((await editor.stat(fifo)).type, 'other');
      assert.equal((await editor.stat(inWorkspace('read', 'folder'))).type, 'directory');
    });
  });

  describe('bytes and stat', () => {
    it('give the disk, whatever the buffer holds', async () => {
      const file = await writeInWorkspace('read/bytes.txt', 'grüße');
      await type(await show(file), start, 'viele ');
      const { bytes, fileSize: size } = await editor.readBytes(file, { offset: 2, limit: 2 });
      assert.deepEqual([Buffer.from(bytes).toString(), size], ['ü', 7]);
      const { type: kind, size: onDisk, isDirty } = await editor.stat(file);
      assert.deepEqual([kind, onDisk, isDirty], ['file', 7, true]);
    });

    it('tell the version that reading tells', async () => {
      const file = await writeInWorkspace('read/version.txt', 'x');
      assert.equal((await editor.stat(file)).version, (await editor.readText(file)).version);
      await show(file);
      assert.equal((await editor.stat(file)).version, (await editor.readText(file)).version);
    });
  });

  describe('the boundary', () => {
    it('is that of the workspace, links and tricks included', async () => {
      await writeInWorkspace('read/a.txt', '');
      const root = inWorkspace();
      await symlink(path.join(outside, 'secret.txt'), inWorkspace('read', 'link-out.txt'));
      await symlink(outside, inWorkspace('read', 'folder-out'));
      await symlink(inWorkspace('read', 'gone'), inWorkspace('read', 'dangling.txt'));
      for (const bad of [
        inWorkspace('read', 'link-out.txt'),
        inWorkspace('read', 'folder-out', 'secret.txt'),
        inWorkspace('read', 'folder-out', 'new.txt'),
        inWorkspace('read', 'dangling.txt'),
        path.join(outside, 'secret.txt'),
        `${root}-not/a.txt`,
        `${root}/../${path.basename(outside)}/secret.txt`,
        '../x.txt',
        '/etc/passwd',
      ]) {
        await rejects(editor.readText(bad), 'outsideWorkspace');
      }
      assert.equal(await editor.resolve('read/a.txt'), inWorkspace('read', 'a.txt'));
    });

    it('keeps excluded files, also under a harmless name', async () => {
      const secret = await writeInWorkspace('read/.env', 'SECRET=1');
      const link = inWorkspace('read', 'harmless.txt');
      await symlink(secret, link);
      await show(secret);
      await rejects(editor.readText(secret), 'excluded');
      await rejects(editor.readText(link), 'excluded');
      await rejects(editor.readBytes(link), 'excluded');
      await rejects(editor.stat(secret), 'excluded');
    });
  });

  describe('glob', () => {
    it('finds files in order, without excluded ones and without those that links lead out to', async () => {
      for (const name of ['b.ts', 'a.ts', 'sub/c.ts', '.env.ts', 'd.md']) await writeInWorkspace(`read/${name}`, '');
      await symlink(path.join(outside, 'secret.txt'), inWorkspace('read', 'out.ts'));
      const found = await editor.glob('read/**/*.ts');
      assert.deepEqual(
        found,
        ['a.ts', 'b.ts', 'sub/c.ts'].map((name) => inWorkspace('read', name)),
      );
      assert.equal((await editor.glob('read/**/*.ts', { maxResults: 2 })).length, 2);
    });

    it('finds nothing for who gave up', async () => {
      await rejects(editor.glob('**', { signal: AbortSignal.abort() }), 'cancelled');
    });
  });
});
