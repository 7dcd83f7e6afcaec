import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { decideRequest } from '../../../../../src/permissions/common/decide';
import { isPlainPath } from '../../../../../src/permissions/common/policy/plainPath';
import { isPlainQuery, namedPathsOf, staysInFolder } from '../../../../../src/permissions/common/policy/searchGlobs';
import { createFileRequest } from '../../../../../src/permissions/common/requests/toolRequest';
import type { PermissionRule } from '../../../../../src/permissions/common/rules/permissionRules';
import { RuleGlobs } from '../../../../../src/permissions/common/rules/ruleGlobs';
import { only } from '../../../../support/only';

const leaving = [
  ...[
    '..',
    '../x',
    'a/../../x',
    '../../**/*.key',
    'a/..',
    './..',
    '/etc/passwd',
    '/',
    '//host/x',
    '~',
    '~/x',
    '~root/x',
  ],
  ...[
    '{/etc,x}/passwd',
    '{..,x}/secret',
    '.{.,}/x',
    '{.,a}{.,b}/x',
    '{a,../b}',
    '{a,{..,b}}/x',
    '{..}/x',
    '{.,..}',
    '{a..z}',
  ],
  ...[
    '@(..)/x',
    '+(.)/x',
    '?(.)./x',
    '*(.)/x',
    '!(a)/x',
    '@(.|..)/x',
    '.@(.)/x',
    '[.]./x',
    '[.][.]/x',
    '.[.]/x',
    '.[!a]/x',
  ],
  ...[
    '.*',
    '.?/x',
    '.*/x',
    '.**',
    'a/.*',
    '...',
    '.#/x',
    '.^./x',
    '^..',
    '=ls',
    '\\.\\./x',
    '.\\./x',
    '"../x',
    "'..'/x",
  ],
  ...[
    '..\\x',
    '\\\\host\\x',
    'C:\\x',
    'C:/x',
    'c:x/../y',
    'file:///etc/passwd',
    'https://x.example',
    '$HOME/x',
    '${HOME}',
    '$(ls)',
  ],
  ...['%2e%2e/x', '%2E./x', '%252e', '%HOME%', '`ls`', 'a;ls', 'a|ls', 'a>b', 'a&b', 'a\0b', 'a\nb', '-r', '--pre=sh'],
  ...[
    'a,/etc/passwd',
    'a, ../x',
    'a:/etc',
    'a ../x',
    '!../x',
    '!/etc',
    '!!x',
    '．．/x',
    '․․/x',
    '‥/x',
    'a／../x',
    '{a,b',
    'a,b}',
  ],
];
const staying = [
  ...[
    '*.ts',
    '**/*.{ts,tsx}',
    'src/**',
    '{src,test}/**/*.ts',
    '.github/**',
    '.env',
    '.*rc',
    'a+',
    'foo.*bar',
    'TODO',
    '',
  ],
  ...[
    '!**/dist/**',
    '*.d.ts',
    'file-name_2.txt',
    'Übersicht*',
    'данные/*.csv',
    'a b',
    '*.ts,*.tsx',
    'a?b',
    'x..y',
    '@scope/*',
  ],
];

describe('the glob of a search', () => {
  it('is allowed by a policy only if it surely stays in its folder', () => {
    assert.deepEqual(
      leaving.filter((glob) => staysInFolder(glob)),
      [],
    );
    assert.deepEqual(
      staying.filter((glob) => !staysInFolder(glob)),
      [],
    );
    for (const member of ['pattern', 'glob', 'include', 'exclude', 'query']) {
      const answerTo = (text: unknown): string => {
        const request = { ...createFileRequest('demo', 'search'), input: { [member]: JSON.stringify(text) } };
        return decideRequest(request, {
          rules: [],
          policy: { read: 'allow' },
          globs: new RuleGlobs(),
          isProtected: () => false,
        }).answer;
      };
      const asked = ['{/etc,x}/passwd', '{..,x}/secret', '.{.,}/x', '..', '../../**/*.key'];
      for (const glob of asked) {
        assert.equal(answerTo(glob), 'ask', `${member}: ${glob}`);
        assert.equal(answerTo(['a', glob]), 'ask');
      }
      assert.equal(answerTo('*.ts'), 'allow');
    }
  });

  it('names the paths before its wildcards', () => {
    assert.deepEqual(namedPathsOf('{a,b/c}/d/*.ts'), ['a/d', 'b/c/d']);
    assert.deepEqual([namedPathsOf('*.ts'), namedPathsOf('a/b'), namedPathsOf('../x')], [[], ['a/b'], []]);
  });

  it('is not looked for in words that are no path', () => {
    for (const text of ['How does (this) "work"?', 'a.b(c)', 'TODO: fix', "don't"]) assert.ok(isPlainQuery(text), text);
    for (const text of ['/etc/passwd', '..', '~', '$HOME', '.@(.)', '{..,x}', '-r', 'a\0', '%2e%2e', 'a\\..\\b'])
      assert.ok(!isPlainQuery(text), text);
  });

  describe('that is allowed', () => {
    let root: string;
    let folder: string;
    const inside = ['a', 'b', 'x', 'secret', 'src/a', 'src/x/secret', '.vscode/x', 'x/a/b', 'a b'];
    const outside = ['secret', 'x', 'out/secret', 'a/b'];
    before(async () => {
      root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-globs-')));
      folder = path.join(root, 'outer', 'workspace');
      for (const [base, files] of [
        [folder, inside],
        [path.join(root, 'outer'), outside],
        [root, outside],
      ] as const) {
        for (const file of files) {
          // A file and a folder can have the same name in two of the lists.
          await mkdir(path.dirname(path.join(base, file)), { recursive: true }).catch(() => undefined);
          await writeFile(path.join(base, file), '').catch(() => undefined);
        }
      }
    });
    after(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

    const words = [
      '.',
      '..',
      '/',
      '*',
      '**',
      '?',
      '{',
      '}',
      ',',
      'a',
      'x',
      'src',
      'secret',
      '[.]',
      '@(',
      '+(',
      '!(',
      ')',
      '|',
    ];
    const rare = [
      '~',
      '$HOME',
      '%2e',
      '\\',
      '!',
      '-',
      ' ',
      ':',
      '/etc',
      '[!a]',
      '{.,}',
      '{..,x}',
      '{a,b}',
      '.vscode',
      '^',
      '=',
    ];
    const globs = fc
      .sample(fc.array(fc.constantFrom(...words, ...words, ...rare), { minLength: 1, maxLength: 8 }), {
        numRuns: 30_000,
        seed: 7,
      })
      .map((parts) => parts.join(''));
    const allowed = [...new Set([...globs, ...staying])].filter((glob) => glob.length > 1 && staysInFolder(glob));

    it('is not rare', () => assert.ok(allowed.length > 1_000, String(allowed.length)));

    only('with bash', process.platform !== 'win32').it('finds nothing outside in bash', async () => {
      const list = path.join(root, 'globs');
      await writeFile(list, allowed.map((glob) => `${glob.replace(/^!/, '')}\n`).join(''));
      for (const options of ['', 'extglob globstar', 'extglob globstar dotglob nullglob']) {
        const script = `cd "$1"; shopt -u globskipdots; for o in $3; do shopt -s $o; done
          while IFS= read -r g; do eval "for f in $g; do printf '%s\\t%s\\n' \\"\\$g\\" \\"\\$f\\"; done"; done < "$2"`;
        const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script, 'bash', folder, list, options], {
          maxBuffer: 512 * 1024 * 1024,
        });
        assert.equal(stderr, '');
        const lines = stdout.trimEnd().split('\n');
        assert.ok(lines.length >= allowed.length / 2);
        const left = lines.filter((line) => {
          const found = path.resolve(folder, line.split('\t')[1] ?? '');
          return found !== folder && !found.startsWith(folder + path.sep);
        });
        assert.deepEqual(left.slice(0, 20), [], options);
      }
    });

    it('matches nothing outside in picomatch', () => {
      // What a program that walks from the folder could come upon outside of it.
      const names = ['..', '../secret', '../../x', '../a/b', '../out/secret', 'a/../../x', './../x'];
      for (const glob of allowed) {
        // A negated glob excludes.
        for (const dot of [true, false]) {
          const isMatch = picomatch(glob.replace(/^!/, ''), { dot });
          for (const name of names) assert.ok(!isMatch(name), `${glob} matches ${name}`);
        }
      }
    });
  });
});

describe('the path of a tool call', () => {
  it('is plain if all programs understand it in the same way', () => {
    const plain = [
      'a.ts',
      'src/a b/ü.ts',
      '/ws/.vscode/tasks.json',
      '../x',
      'app/[id]/page.tsx',
      'app/[[...slug]].tsx',
      'a/(group)/b',
    ];
    assert.deepEqual(
      plain.filter((one) => !isPlainPath(one, '/ws')),
      [],
    );
    const others = [
      ...[
        '{.vscode,x}/tasks.json',
        '.vs?ode/tasks.json',
        '.vscod*/tasks.json',
        '.vscod[e]/tasks.json',
        '[.]vscode/x',
        '[.a]/x',
      ],
      ...[
        '$HOME/x',
        '${HOME}/x',
        '~/x',
        'a/~b/x',
        '%2e%2e/x',
        'a\\b',
        '.vscode\\tasks.json',
        'a\0',
        'a\nb',
        '`x`',
        'a;b',
        'a|b',
      ],
      ...[
        '(.vscode)/x',
        '@(.vscode)/x',
        '"a"',
        '．vscode/x',
        'C:\\x',
        '/ws{a,b}/x',
        '/wsx$/a',
        '[id]s.json',
        '!(a)',
        'a<b',
        'a/../b',
        '/ws/a/..',
        '../a/../b',
        'file:///ws/a#/b',
      ],
    ];
    assert.deepEqual(
      others.filter((one) => isPlainPath(one, '/ws')),
      [],
    );
    assert.ok(isPlainPath('/tmp/{odd} $name/a.ts', '/tmp/{odd} $name'));
    assert.ok(!isPlainPath('/tmp/{odd} $name2/a.ts', '/tmp/{odd} $name'));
    assert.ok(isPlainPath('C:\\ws\\.vscode\\a', 'C:\\ws') && isPlainPath('src\\a.ts', 'C:\\ws'));
  });

  it('that is not plain is allowed by no policy and no rule with a glob', () => {
    const request = { ...createFileRequest('demo', 'edit', '/ws/{.vscode,x}/tasks.json'), isAmbiguous: true };
    const glob = { effect: 'allow', kind: 'edit', pathGlob: '/ws/**', scope: 'always' } as const;
    const exact = {
      effect: 'allow',
      kind: 'edit',
      scope: 'always',
      paths: [...request.paths],
    } satisfies PermissionRule;
    const context = {
      policy: { edit: 'allow', read: 'allow' },
      globs: new RuleGlobs(),
      isProtected: () => false,
    } as const;
    assert.equal(decideRequest(request, { ...context, rules: [glob] }).answer, 'ask');
    assert.equal(decideRequest({ ...request, kind: 'read' }, { ...context, rules: [] }).answer, 'ask');
    assert.equal(decideRequest(request, { ...context, rules: [exact] }).answer, 'allow');
  });
});
