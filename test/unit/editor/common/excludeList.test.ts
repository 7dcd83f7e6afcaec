import assert from 'node:assert/strict';
import { defaultExclude, ExcludeList } from '../../../../src/editor/common/excludeList';

function excluder(patterns: readonly string[]): (below: string) => boolean {
  const list = new ExcludeList(patterns);
  return (below) => list.excludes(`/home/me/ws/${below}`, below);
}

describe('the exclude list out of the box', () => {
  const excludes = excluder(defaultExclude);

  for (const secret of [
    '.env',
    '.env.local',
    '.ENV',
    '.envrc',
    'packages/api/.env.production',
    'server.pem',
    'tls/SERVER.KEY',
    'AuthKey.p8',
    'release.keystore',
    'vault.kdbx',
    'id_rsa',
    'keys/id_ed25519_work',
    '.ssh/config',
    '.gnupg/private-keys-v1.d/x.key',
    'prod.env',
    'deploy/.staging.env',
    '.dev.vars',
    '.dev.vars.production',
    '.npmrc',
    '.npmrc.bak',
    'sub/.netrc',
    '_netrc',
    '.git-credentials',
    '.aws/credentials',
    'home/.docker/config.json',
    '.kube/config',
    '.config/gh/hosts.yml',
    'credentials',
    'backup/credentials',
    'src/credentials/credentials',
    'credentials.json',
    'gcp-credentials-prod.json',
    'client_secret_42.apps.example.json',
    '.git/config',
    'vendor/lib/.git/config',
    'config/secrets.yaml',
    'service-account-prod.json',
    'infra/terraform.tfstate',
    'infra/terraform.tfstate.backup',
    'prod.tfvars',
  ]) {
    it(`keeps ${secret} from peers`, () => assert.equal(excludes(secret), true));
  }

  for (const open of [
    'README.md',
    'src/env.ts',
    'environment.ts',
    'id_rsa.pub',
    'id_ed25519_work.pub',
    '.ssh/id_rsa.pub',
    'keys.ts',
    'src/key',
    'monkey.ts',
    'docker/config.json',
    'credentials.ts',
    'src/credentials/provider.ts',
    'src/credentialsForm.tsx',
    'client_secret.ts',
    'dev.vars.ts',
    'src/env/prod.env.ts',
    '.git/HEAD',
    'git/config',
    '.github/config.yml',
    'npmrc.md',
    'id_ecdsa.pub',
    'secrets.md',
    'main.tf',
    '',
  ]) {
    it(`leaves ${open || 'the folder itself'} alone`, () => assert.equal(excludes(open), false));
  }

  it('holds in a workspace that is such a folder', () => {
    assert.equal(new ExcludeList(defaultExclude).excludes('/home/me/.ssh/config', 'config'), true);
  });

  it('has no pattern that is not a glob', () => assert.deepEqual(new ExcludeList(defaultExclude).invalidPatterns, []));
});

describe('ExcludeList', () => {
  it('matches a name without a slash at any depth, and all that is in a folder of that name', () => {
    const excludes = excluder(['private']);
    for (const path of ['private', 'a/private', 'private/a/b', 'a/Private/b']) assert.equal(excludes(path), true, path);
    for (const path of ['privately', 'a/not-private']) assert.equal(excludes(path), false, path);
  });

  it('does not match a name above the workspace folder', () => {
    assert.equal(new ExcludeList(['me']).excludes('/home/me/ws/a', 'a'), false);
  });

  it('matches a pattern with a slash from the workspace folder on', () => {
    const excludes = excluder(['config/local', './build/*.map', 'out/']);
    for (const path of ['config/local', 'config/local/x', 'build/a.map', 'a/out/b'])
      assert.equal(excludes(path), true, path);
    for (const path of ['a/config/local', 'build/a/b.map']) assert.equal(excludes(path), false, path);
  });

  it('matches an absolute pattern against the whole path, also on Windows', () => {
    const list = new ExcludeList(['/home/me/ws/x/**', 'C:/ws/x/**']);
    assert.equal(list.excludes('/home/me/ws/x/y', 'x/y'), true);
    assert.equal(list.excludes('C:\\ws\\x\\y', 'x\\y'), true);
    assert.equal(list.excludes('/home/me/ws/y', 'y'), false);
  });

  it('reads names below a Windows folder', () => {
    assert.equal(new ExcludeList(['.env*']).excludes('C:\\ws\\a\\.env', 'a\\.env'), true);
  });

  it('treats a leading ! as an exception, and lets the last matching pattern decide', () => {
    const excludes = excluder(['.env*', '*.sql', '!**/.env.example', '!*.sql', 'private.sql']);
    for (const path of ['.env', 'a/.env.local', 'a/private.sql']) assert.equal(excludes(path), true, path);
    for (const path of ['.env.example', 'a/.env.example', 'b.sql']) assert.equal(excludes(path), false, path);
  });

  it('does not treat the ! of an extended glob as an exception', () => {
    const excludes = excluder(['!(*.ts)', '!!(*.md)']);
    assert.equal(excludes('a.sql'), false, 'the second is an exception');
    assert.equal(excluder(['!(*.ts)'])('a.sql'), true);
    assert.equal(excluder(['!(*.ts)'])('a.ts'), false);
  });

  it('reports invalid globs and applies the others', () => {
    const tooLong = '*'.repeat(1_001);
    const list = new ExcludeList(['[z-a]', '', '{1..3}', tooLong, '.env', '*[x']);
    assert.deepEqual(
      list.invalidPatterns.map(({ pattern }) => pattern),
      ['[z-a]', '', '{1..3}', tooLong],
    );
    assert.equal(list.excludes('/ws/a[x', 'a[x'), true, 'the bracket is an ordinary character');
    assert.equal(list.excludes('/ws/.env', '.env'), true);
    assert.equal(list.excludes('/ws/b', 'b'), false);
  });
});

describe('an exclude list with globs that are slow elsewhere', () => {
  /** Each of these stopped a backtracking matcher for longer than anybody waits. */
  const evil = [
    `${'*a'.repeat(12)}*b`,
    '+(a|aa)+(a|aa)b',
    '+(+(+(a)))b',
    `${'{a,aa,}'.repeat(40)}*b`,
    '!(a*)!(a*)b',
    '[',
    '(',
  ];
  const name = `b${'a'.repeat(250)}`;

  it('cannot hold up the others, whatever its globs and the names of its files are', () => {
    const list = new ExcludeList(['.env', ...evil, '!**/x']);
    const path = Array.from({ length: 16 }, () => name).join('/');
    assert.equal(list.excludes(`/ws/${path}`, path), false);
    assert.equal(list.excludes(`/ws/${path}/.env`, `${path}/.env`), true);
    assert.equal(list.excludes(`/ws/${path}/.env/x`, `${path}/.env/x`), false);
  });

  it('still means what it says', () => {
    const list = new ExcludeList(evil);
    const excludes = (path: string): boolean => list.excludes(`/ws/${path}`, path);
    assert.deepEqual(
      [excludes(name), excludes(`${name}b`), excludes(`f/aab/g`), excludes('c')],
      [false, true, true, false],
    );
    assert.equal(list.invalidPatterns.length, 0);
  });
});

describe('a pattern with (?!/) at its end', () => {
  it('is about files, and not about what is in folders of that name', () => {
    const excludes = excluder(['**/key(?!/)']);
    assert.deepEqual(['key', 'a/KEY', 'key/a', 'key/key'].map(excludes), [true, true, false, true]);
  });
});
