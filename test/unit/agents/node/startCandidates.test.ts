import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { findStartCandidates } from '../../../../src/agents/node/npm/startCandidates';
import { only } from '../../../support/only';

const native = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
const node = { source: 'editor', file: '/opt/editor', version: '22.0.0', env: {} } as const;

describe('what starts an agent of a package', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-starts-')));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function add(name: string, manifest: object, files: Record<string, string | Buffer>): Promise<void> {
    for (const [file, content] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) })) {
      const target = path.join(folder, 'node_modules', name, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, content);
    }
  }

  const starts = (packageName: string, arch = 'x64'): Promise<unknown> =>
    findStartCandidates({ folder, packageName, cmd: undefined, node, platform: 'linux', arch });

  it('is its script, with the options of its first line', async () => {
    await add('@a/b', { bin: { b: './dist/run' } }, { 'dist/run': '#!/usr/bin/env -S node --no-warnings\n' });
    const script = 'node_modules/@a/b/dist/run';
    assert.deepEqual(await starts('@a/b'), [
      { kind: 'script', script, nodeArgs: ['--no-warnings'], node: { source: 'editor' } },
    ]);
  });

  it('is its program', async () => {
    await add('a', { bin: 'a.bin' }, { 'a.bin': native });
    assert.deepEqual(await starts('a'), [{ kind: 'program', program: 'node_modules/a/a.bin' }]);
  });

  it('is the program of its packages for this system, if an install script would put that in its place', async () => {
    const optionalDependencies = {
      'a-linux-x64': '1',
      'a-linux-x64-baseline': '1',
      'a-linux-arm64': '1',
      'a-win': '1',
    };
    await add('a', { bin: { agent: './bin/agent.exe' }, optionalDependencies }, { 'bin/agent.exe': 'echo "no" >&2\n' });
    const here = { os: ['linux'], cpu: ['x64'] };
    await add('a-linux-x64', here, { 'bin/agent': native, 'bin/tool': native, 'bin/agent.exe': 'no program' });
    await add('a-linux-x64-baseline', here, { agent: native });
    await add('a-linux-arm64', { os: ['linux'], cpu: ['arm64'] }, { 'bin/agent': native });
    await add('a-win', { os: ['win32'], cpu: ['x64'] }, { 'bin/agent': native });
    assert.deepEqual(await starts('a'), [
      { kind: 'program', program: 'node_modules/a-linux-x64/bin/agent' },
      { kind: 'program', program: 'node_modules/a-linux-x64-baseline/agent' },
    ]);
    assert.deepEqual(await starts('a', 'arm64'), [
      { kind: 'program', program: 'node_modules/a-linux-arm64/bin/agent' },
    ]);
  });

  it('is nothing if there is no command, or none that can be started', async () => {
    await add('a', { bin: { x: 'x', y: 'y' } }, {});
    await add('b', { bin: 'b.sh' }, { 'b.sh': '#!/bin/sh\n' });
    await add('c', { bin: 'missing.js' }, {});
    for (const name of ['a', 'b', 'c', 'd']) await assert.rejects(starts(name), { code: 'doesNotStart' });
  });

  only('where links can be made', process.platform !== 'win32').it('is never outside of the folder', async () => {
    await add('a', { bin: '../../../../bin/sh' }, {});
    await assert.rejects(starts('a'), { code: 'doesNotStart' });
    await add('b', { bin: 'link.js' }, {});
    await symlink(process.execPath, path.join(folder, 'node_modules/b/link.js'));
    await assert.rejects(starts('b'), { code: 'doesNotStart' });
  });
});
