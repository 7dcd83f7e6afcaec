import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as path from 'node:path';
import { archiveFormatOf } from '../../../../../src/agents/common/install/archiveFormat';
import { safeArchivePath, safeCommandPath } from '../../../../../src/agents/common/install/archivePath';
import { prependEnvironmentVariables } from '../../../../../src/agents/common/install/commandLine';
import { chooseBin, PackageBin } from '../../../../../src/agents/common/install/packageBin';
import { parseNpmSpec, parsePythonSpec } from '../../../../../src/agents/common/install/packageSpec';
import { toPlatformKey } from '../../../../../src/agents/common/install/platformKey';
import { programKindOf } from '../../../../../src/agents/common/install/programHead';

describe('a package with its version', () => {
  it('is read from what npm and uv write', () => {
    assert.deepEqual(parseNpmSpec('@google/gemini-cli@0.61.0'), { name: '@google/gemini-cli', version: '0.61.0' });
    assert.deepEqual(parseNpmSpec('cline@3.0.65-preview.22'), { name: 'cline', version: '3.0.65-preview.22' });
    assert.deepEqual(parsePythonSpec('fast-agent-acp==0.10.1'), { name: 'fast-agent-acp', version: '0.10.1' });
    assert.deepEqual(parsePythonSpec('minion[acp]@1.0rc1'), { name: 'minion[acp]', version: '1.0rc1' });
  });

  it('is not read from ranges, tags, options, addresses and paths', () => {
    const npm = ['a', 'a@', 'a@latest', 'a@^1.0.0', 'a@1.x', 'a@1', 'a@1.0.0 b@2.0.0', '--a@1.0.0 --b', '../a@1.0.0'];
    for (const spec of [...npm, '@a@1.0.0', 'a@npm:b@1.0.0', 'https://e.com/a@1.0.0', 'a@file:x', 'A@1.0.0 '])
      assert.equal(parseNpmSpec(spec), undefined, spec);
    for (const spec of ['a', 'a>=1', 'a==1.*', 'a==1,<2', 'a @ https://e.com', '-a==1', 'a==', 'git+https://e.com@1'])
      assert.equal(parsePythonSpec(spec), undefined, spec);
  });
});

describe('a path in an archive', () => {
  it('is split into its parts', () => {
    assert.deepEqual(safeArchivePath('./dist/bin/agent'), ['dist', 'bin', 'agent']);
    assert.deepEqual(safeArchivePath('dist//bin/'), ['dist', 'bin']);
    assert.deepEqual(safeArchivePath('./'), []);
    assert.deepEqual(safeArchivePath('.hidden/a b/…'), ['.hidden', 'a b', '…']);
  });

  it('is refused if it could leave its folder on any system', () => {
    const leaving = ['../a', 'a/../../b', 'a/..', '/etc/passwd', '//host/a', 'C:/a', 'c:a', 'a\\..\\b', '\\\\host\\a'];
    const odd = [
      'a/.. /b',
      'a./b',
      'a ',
      'nul',
      'a/COM1.txt',
      'a\0b',
      'a\nb',
      'a:stream',
      'x'.repeat(2_000),
      'a/\ud800',
    ];
    for (const name of [...leaving, ...odd]) assert.equal(safeArchivePath(name), undefined, JSON.stringify(name));
  });

  it('stays in its folder whatever it is', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', '/', '\\', 'C:', ' ', '.. '),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.constantFrom('/', '\\', ''), (parts, separator) => {
        const safe = safeArchivePath(parts.join(separator));
        if (!safe) return;
        for (const paths of [path.posix, path.win32]) {
          const root = paths === path.posix ? '/root/folder' : 'C:\\root\\folder';
          const file = paths.join(root, ...safe);
          assert.ok(file === root || file.startsWith(root + paths.sep), file);
        }
      }),
    );
  });

  it('may have backslashes if it is the program of Windows', () => {
    assert.deepEqual(safeCommandPath('./goose-package\\goose.exe', 'win32'), ['goose-package', 'goose.exe']);
    assert.equal(safeCommandPath('./goose-package\\goose.exe', 'linux'), undefined);
    assert.equal(safeCommandPath('..\\x.exe', 'win32'), undefined);
    assert.equal(safeCommandPath('./', 'linux'), undefined);
  });
});

describe('what an address leads to', () => {
  it('is told by its end', () => {
    const formats = ['a.zip', 'a.TAR.GZ', 'a.tgz?x=1', 'a.tar.bz2', 'a.tbz2', 'agent', 'agent.exe'].map((name) =>
      archiveFormatOf(`https://e.com/${name}`),
    );
    assert.deepEqual(formats, ['zip', 'tar.gz', 'tar.gz', 'tar.bz2', 'tar.bz2', 'program', 'program']);
  });

  it('is nothing for installers and other archives', () => {
    for (const name of ['a.dmg', 'a.pkg', 'a.deb', 'a.msi', 'a.AppImage', 'a.tar.xz', 'a.7z'])
      assert.equal(archiveFormatOf(`https://e.com/${name}`), undefined, name);
  });
});

describe('the command of a package', () => {
  it('is the only one, the one of its name, or the one that is asked for', () => {
    assert.deepEqual(chooseBin('@a/b', 'x.js', undefined), { name: 'b', file: 'x.js' });
    assert.deepEqual(chooseBin('@a/b', { other: 'x.js' }, undefined), { name: 'other', file: 'x.js' });
    assert.deepEqual(chooseBin('@a/b', { b: 'x.js', c: 'y.js' }, undefined), { name: 'b', file: 'x.js' });
    assert.deepEqual(chooseBin('@a/b', { b: 'x.js', c: 'y.js' }, 'c'), { name: 'c', file: 'y.js' });
    assert.equal(chooseBin('@a/b', { c: 'x.js', d: 'y.js' }, undefined), undefined);
    assert.equal(chooseBin('a', PackageBin.parse({ a: 7 }), undefined), undefined);
  });
});

describe('a program', () => {
  const kind = (name: string, head: string | readonly number[]): unknown =>
    programKindOf(name, typeof head === 'string' ? new TextEncoder().encode(head) : new Uint8Array(head));

  it('is native by its first bytes', () => {
    assert.deepEqual(kind('a', [0x7f, 0x45, 0x4c, 0x46, 2]), { kind: 'native' });
    assert.deepEqual(kind('a.exe', [0x4d, 0x5a, 0x90]), { kind: 'native' });
    assert.deepEqual(kind('a', [0xcf, 0xfa, 0xed, 0xfe]), { kind: 'native' });
  });

  it('is a script of Node.js by its first line, with its options, or by its name', () => {
    assert.deepEqual(kind('a', '#!/usr/bin/env node\n'), { kind: 'nodeScript', nodeArgs: [] });
    assert.deepEqual(kind('a.js', '#!/usr/bin/env -S node --no-warnings=DEP0040\r\n'), {
      ...{ kind: 'nodeScript', nodeArgs: ['--no-warnings=DEP0040'] },
    });
    assert.deepEqual(kind('a.mjs', 'import x'), { kind: 'nodeScript', nodeArgs: [] });
  });

  it('is neither for shells and texts', () => {
    for (const head of ['#!/bin/sh\n', '#!/usr/bin/env bash\n', 'echo "not installed"\n', ''])
      assert.deepEqual(kind('opencode.exe', head), { kind: 'other' });
  });
});

describe('a system', () => {
  it('has the name that the registry gives it', () => {
    assert.equal(toPlatformKey('darwin', 'arm64'), 'darwin-aarch64');
    assert.equal(toPlatformKey('win32', 'x64'), 'windows-x86_64');
    assert.equal(toPlatformKey('freebsd', 'x64'), undefined);
    assert.equal(toPlatformKey('linux', 'ia32'), undefined);
  });
});

describe('a command line to read', () => {
  it('begins with its variables', () => {
    assert.equal(prependEnvironmentVariables({ A: '1', B: 'x y' }, 'run'), "A=1 'B=x y' run");
  });
});
