import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import {
  CommandError,
  diskCommandFileAccess,
  lookupCommand,
  type CommandErrorReason,
  type CommandFileAccess,
} from '../../../../../src/acp/node/process/commandLookup';

async function rejectsFor(lookup: Promise<unknown>, reason: CommandErrorReason): Promise<CommandError> {
  try {
    await lookup;
  } catch (error) {
    assert.ok(error instanceof CommandError, String(error));
    assert.equal(error.reason, reason);
    return error;
  }
  assert.fail('was found');
}

describe('lookupCommand', () => {
  describe('on POSIX', () => {
    let root: string;
    const at = (...names: string[]): string => path.join(root, ...names);

    before(async () => {
      root = await mkdtemp(path.join(tmpdir(), 'backline-lookup-'));
      for (const folder of ['a', 'b', 'b/folder']) await mkdir(at(folder));
      const files: readonly [string, string, number][] = [
        ['a/blocked', '', 0o644],
        ['b/blocked', '', 0o755],
        ['a/only-blocked', '', 0o644],
        ['b/native', '\u007fELF', 0o755],
        ['b/script', '#!/usr/bin/env my-node\n', 0o755],
        ['b/lost-script', '#!/usr/bin/env lost-node\n', 0o755],
        ['b/absolute-lost', '#!/no/such/interpreter\n', 0o755],
        ['b/my-node', '', 0o755],
      ];
      for (const [name, text, mode] of files) {
        await writeFile(at(name), text);
        await chmod(at(name), mode);
      }
      await symlink(at('b/native'), at('a/link'));
    });
    after(() => rm(root, { recursive: true, force: true }));

    const lookup = (command: string, PATH = `${at('a')}:${at('b')}`): Promise<{ file: string }> =>
      lookupCommand(command, { platform: 'linux', env: { PATH }, cwd: root, files: diskCommandFileAccess });

    const found: readonly [string, string][] = [
      ['native', 'b/native'],
      ['blocked', 'b/blocked'],
      ['link', 'a/link'],
      ['script', 'b/script'],
      ['./b/native', 'b/native'],
      ['b/native', 'b/native'],
    ];
    for (const [command, file] of found) {
      it(`finds '${command}'`, async () => assert.deepEqual(await lookup(command), { file: at(file), args: [] }));
    }

    it('finds an absolute path without PATH', async () => {
      assert.equal((await lookup(at('b/native'), '')).file, at('b/native'));
    });

    it('says in few words what is missing, and which PATH it searched to those who want to know', async () => {
      const error = await rejectsFor(lookup('nothing'), 'notFound');
      assert.equal(error.searchedPath, `${at('a')}:${at('b')}`);
      assert.equal(error.message, '"nothing" isn\'t on PATH.');
      assert.equal(error.details, `PATH: ${error.searchedPath}`);
    });

    const refused: readonly [string, CommandErrorReason, RegExp][] = [
      ['folder', 'notFound', /isn't on PATH/],
      ['only-blocked', 'notExecutable', /chmod \+x/],
      ['lost-script', 'interpreterMissing', /needs 'lost-node', which isn't on PATH/],
      ['absolute-lost', 'interpreterMissing', /needs '\/no\/such\/interpreter'/],
      ['./nothing', 'notFound', /There is no program at '.*\/nothing'/],
      ['~/agent', 'notFound', /full path/],
    ];
    for (const [command, reason, message] of refused) {
      it(`refuses '${command}': ${reason}`, async () => {
        assert.match((await rejectsFor(lookup(command), reason)).message, message);
      });
    }

    it('takes no program from a relative entry of PATH', async () => {
      await rejectsFor(lookup('native', `${path.relative(process.cwd(), at('b'))}:.:`), 'notFound');
    });
  });

  describe('on Windows', () => {
    const shim = '@node "%~dp0\\..\\agent\\cli.js" %*\r\n';
    const disk: Record<string, string> = {
      'C:\\bin\\native.exe': '',
      'C:\\npm\\agent': '#!/bin/sh',
      'C:\\npm\\agent.cmd': shim,
      'C:\\npm\\batch.bat': '@echo off\r\n',
      'C:\\node\\node.exe': '',
      'C:\\work\\tools\\local.exe': '',
    };
    const files: CommandFileAccess = {
      kindOf: (file) => {
        const known = Object.keys(disk).some((name) => name.toLowerCase() === file.toLowerCase());
        return Promise.resolve(known ? 'executable' : 'missing');
      },
      readHead: (file) => Promise.resolve(disk[file] ?? ''),
    };
    const env = { Path: '"C:\\bin";C:\\npm;C:\\node', PATHEXT: '.COM;.EXE;.BAT;.CMD;.JS' };
    const lookup = (command: string, changes = {}): Promise<unknown> =>
      lookupCommand(command, { platform: 'win32', env: { ...env, ...changes }, cwd: 'C:\\work', files });

    it('finds a program by its name, with and without extension', async () => {
      assert.deepEqual(await lookup('native'), { file: 'C:\\bin\\native.exe', args: [] });
      assert.deepEqual(await lookup('native.exe'), { file: 'C:\\bin\\native.exe', args: [] });
    });

    it('finds a relative path', async () => {
      assert.deepEqual(await lookup('tools\\local'), { file: 'C:\\work\\tools\\local.exe', args: [] });
    });

    it('starts the script behind the shim of npm with node, not the file for Unix shells', async () => {
      const expected = { file: 'C:\\node\\node.exe', args: ['C:\\agent\\cli.js'] };
      assert.deepEqual(await lookup('agent'), expected);
      assert.deepEqual(await lookup('C:\\npm\\agent'), expected);
      assert.deepEqual(await lookup('agent.cmd', { PATHEXT: undefined }), expected);
    });

    it('reports what a shim needs', async () => {
      const error = await rejectsFor(lookup('agent', { Path: 'C:\\npm' }), 'interpreterMissing');
      assert.match(error.message, /needs 'node', which isn't on PATH/);
      assert.equal(error.details, 'PATH: C:\\npm');
    });

    it('refuses a batch file, which only a shell can run', async () => {
      await rejectsFor(lookup('batch'), 'needsShell');
    });

    it('reports which PATH it searched', async () => {
      assert.equal((await rejectsFor(lookup('nothing'), 'notFound')).searchedPath, env.Path);
    });
  });
});
