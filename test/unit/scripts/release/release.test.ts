import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Registry } from '../../../../scripts/lib/release/registries.mjs';
import { release } from '../../../../scripts/lib/release/release.mjs';
import { zipOf } from './zip';

const manifest = { publisher: 'backline', name: 'backline', version: '0.2.0' };
/** Writes what it got beside the package; its second argument is its exit code. */
const publisher = `
  const { appendFileSync } = require('node:fs');
  const { TOKEN_A, TOKEN_B } = process.env;
  appendFileSync(process.argv[1] + '.published', JSON.stringify({ TOKEN_A, TOKEN_B }) + '\\n');
  console.log('the token is ' + (TOKEN_A ?? TOKEN_B));
  process.exit(Number(process.argv[2]));`;

describe('a release', () => {
  let root = '';
  let printed: string[] = [];
  let prepared: NodeJS.ProcessEnv | undefined;
  let exitCode = 0;
  const registry = (name: string): Registry => ({
    id: name,
    title: `Registry ${name}`,
    token: `TOKEN_${name.toUpperCase()}`,
    tokenHelp: 'ask for one',
    page: (id) => `https://${name}.example/${id}`,
    command: (vsix) => ['-e', publisher, vsix, String(exitCode)],
  });

  const prepare = (env: NodeJS.ProcessEnv): Promise<void> => {
    prepared = env;
    return Promise.resolve();
  };

  const git = (...args: string[]): void => {
    const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...who, ...args], { cwd: root, stdio: 'ignore' });
  };
  const write = (name: string, contents: string | Buffer): void => writeFileSync(path.join(root, name), contents);
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> =>
    release(args, {
      root,
      env: { PATH: process.env['PATH'], ...env },
      registries: [registry('a'), { ...registry('b'), prepare }],
      build: () => Promise.reject(new Error('built')),
      print: (line) => printed.push(line),
    });
  const published = (): unknown[] => {
    const file = path.join(root, 'out/release/backline-0.2.0.vsix.published');
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line): unknown => JSON.parse(line));
  };
  const tokens = { TOKEN_A: 'secret-a', TOKEN_B: 'secret-b' };
  const dryRun = ['--dry-run', '--vsix', 'backline.vsix'];

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'backline-release-'));
    [printed, prepared, exitCode] = [[], undefined, 0];
    write('package.json', JSON.stringify(manifest));
    write('CHANGELOG.md', '# Changelog\n\n## 0.2.0 - 2026-11-22\n\n- A thing.\n');
    write('.gitignore', 'out/\n*.vsix\n');
    write('backline.vsix', zipOf({ 'extension/package.json': JSON.stringify(manifest) }));
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '-m', 'first');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is put together by a dry run, which reports what would go where and publishes nothing', async () => {
    await run(dryRun, { TOKEN_A: 'secret-a' });
    const folder = path.join(root, 'out/release');
    assert.deepEqual(readdirSync(folder).sort(), ['SHA256SUMS', 'backline-0.2.0.vsix', 'notes.md']);
    assert.equal(readFileSync(path.join(folder, 'notes.md'), 'utf8'), '- A thing.\n');
    assert.match(readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8'), /^[0-9a-f]{64} {2}backline-0\.2\.0\.vsix\n$/);
    const text = printed.join('\n');
    assert.match(text, /Registry a, https:\/\/a\.example\/backline\.backline \(TOKEN_A is set\)/);
    assert.match(text, /Registry b, .*TOKEN_B is not set: ask for one/);
    assert.match(text, /Nothing was published$/);
    assert.doesNotMatch(text, /secret/);
    assert.equal(prepared, undefined);
  });

  it('tells everything that is wrong at once, and writes nothing', async () => {
    write('notes.txt', 'not committed');
    write('CHANGELOG.md', '# Changelog\n');
    await assert.rejects(run(['--vsix', 'backline.vsix', '--tag', 'v1.0.0']), (error: Error) => {
      for (const part of [
        'v1.0.0 is not',
        'no tag v0.2.0',
        'CHANGELOG.md has no',
        'notes.txt',
        'TOKEN_A is not set',
        'TOKEN_B',
      ])
        assert.ok(error.message.includes(part), `${part}: ${error.message}`);
      return true;
    });
    assert.deepEqual(readdirSync(root).includes('out'), false);
  });

  it('refuses a package of another version, and a folder without Git', async () => {
    write('backline.vsix', zipOf({ 'extension/package.json': JSON.stringify({ ...manifest, version: '0.1.0' }) }));
    await assert.rejects(run(dryRun), /is backline\.backline 0\.1\.0, but package\.json is backline\.backline 0\.2\.0/);
    rmSync(path.join(root, '.git'), { recursive: true });
    await assert.rejects(run(dryRun), /git tag .* failed/);
  });

  it('is built when no package is given', () => assert.rejects(run(['--dry-run']), /^Error: built$/));

  it('knows its options', async () => {
    await assert.rejects(run([...dryRun, '--to', 'c']), /no registry c; there are a, b/);
    await assert.rejects(run(['--dryrun']), /--dryrun/);
  });

  it('goes to each registry with its own token only, and none for what installs the command', async () => {
    git('tag', 'v0.2.0');
    await run(['--vsix', 'backline.vsix'], { ...tokens, OTHER: '1' });
    assert.deepEqual(published(), [{ TOKEN_A: 'secret-a' }, { TOKEN_B: 'secret-b' }]);
    assert.equal(prepared?.['OTHER'], '1');
    assert.deepEqual(
      Object.keys(prepared).filter((name) => name.startsWith('TOKEN')),
      [],
    );
    assert.match(printed.join('\n'), /Published to Registry a: https:\/\/a\.example/);
  });

  it('goes to one registry alone, without the token of the other', async () => {
    git('tag', 'v0.2.0');
    await run(['--vsix', 'backline.vsix', '--to', 'b'], { TOKEN_B: 'secret-b' });
    assert.deepEqual(published(), [{ TOKEN_B: 'secret-b' }]);
  });

  it('stops where a registry refuses, and does not print its token', async () => {
    git('tag', 'v0.2.0');
    exitCode = 1;
    await assert.rejects(run(['--vsix', 'backline.vsix'], tokens), {
      message: 'Registry a refused it:\nthe token is <TOKEN_A>\n',
    });
    assert.equal(published().length, 1);
  });

  it('can be put together from a package in the folder that it writes', async () => {
    mkdirSync(path.join(root, 'out/release'), { recursive: true });
    write('out/release/old.vsix', readFileSync(path.join(root, 'backline.vsix')));
    await run(['--dry-run', '--vsix', 'out/release/old.vsix']);
    assert.deepEqual(readdirSync(path.join(root, 'out/release')).sort(), [
      'SHA256SUMS',
      'backline-0.2.0.vsix',
      'notes.md',
    ]);
  });
});
