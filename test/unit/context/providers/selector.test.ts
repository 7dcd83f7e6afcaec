import assert from 'node:assert/strict';
import {
  SelectorList,
  SelectableDocument,
  type SelectorCombination,
} from '../../../../src/context/common/providers/selector';
import { createTimeLimitedRunner } from '../../../../src/base/node/timeLimitedRunner';
import type { DocumentSelector } from '../../../../src/context/common/providers/contextProvider';
import { withoutTimeLimit } from '../support/contextHarness';

const ts = 'file:///home/a/src/foo.ts';

interface Row {
  readonly says: string;
  readonly selectors: readonly DocumentSelector[] | undefined;
  readonly uri?: string;
  readonly text?: string;
  readonly match?: SelectorCombination;
  readonly expected: boolean;
}

const path = (...globs: string[]): DocumentSelector[] => globs.map((glob) => ({ path: glob }));

const rows: readonly Row[] = [
  { says: 'one of several is enough', selectors: path('**/*.ts', '**/*.css'), expected: true },
  {
    says: 'all of several when the user says so',
    selectors: path('**/*.ts', '**/*.css'),
    match: 'all',
    expected: false,
  },
  { says: 'all of several that all hold', selectors: path('**/*.ts', '**/src/**'), match: 'all', expected: true },
  { says: 'none is nowhere, also for all', selectors: [], match: 'all', expected: false },
  {
    says: 'a path without its text',
    selectors: [{ path: '**/*.ts', contentContains: 'no' }],
    text: 'a',
    expected: false,
  },
  { says: 'a path with its text', selectors: [{ path: '**/*.ts', contentContains: 'a' }], text: 'a', expected: true },
  { says: 'undefined is everywhere', selectors: undefined, expected: true },
  { says: 'empty is nowhere', selectors: [], expected: false },
  { says: 'no conditions hold', selectors: [{}], expected: true },
  { says: 'a hostname', selectors: path('github.com/**'), uri: 'https://github.com/o/r/a.ts', expected: true },
  { says: 'the path below a hostname', selectors: path('o/r/**'), uri: 'https://github.com/o/r/a.ts', expected: true },
  { says: 'another hostname', selectors: path('gitlab.com/**'), uri: 'https://github.com/o/r/a.ts', expected: false },
  { says: 'a glob for the whole path only: *.ts', selectors: path('*.ts'), expected: false },
  { says: 'a glob for the whole path only: src/**', selectors: path('src/**'), expected: false },
  { says: 'a leading slash that is there', selectors: path('/home/**'), expected: true },
  { says: 'a leading slash that is not there', selectors: path('home/**'), expected: true },
  { says: 'a dot file by **', selectors: path('**'), uri: 'file:///w/.env', expected: true },
  { says: 'a file in a dot folder by **', selectors: path('**'), uri: 'file:///w/.github/ci.yml', expected: true },
  { says: 'a named dot folder', selectors: path('**/.github/**'), uri: 'file:///w/.github/ci.yml', expected: true },
  { says: 'a space, decoded', selectors: path('**/my file.ts'), uri: 'file:///w/my%20file.ts', expected: true },
  { says: 'a space, encoded', selectors: path('**/my%20file.ts'), uri: 'file:///w/my%20file.ts', expected: true },
  { says: 'a letter of another script', selectors: path('**/é.ts'), uri: 'file:///w/%C3%A9.ts', expected: true },
  { says: 'a stray percent sign', selectors: path('**/100%.ts'), uri: 'file:///w/100%.ts', expected: true },
  { says: 'a name in another case', selectors: path('**/FOO.ts'), expected: false },
  { says: 'braces', selectors: path('**/*.{js,ts}'), expected: true },
  { says: 'alternatives', selectors: path('**/*.(js|ts)'), expected: true },
  { says: 'an optional part', selectors: path('**/*.ts?(x)'), expected: true },
  { says: 'a negated part', selectors: path('**/!(bar).ts'), expected: true },
  { says: 'a negation that holds', selectors: path('!**/*.css'), expected: true },
  { says: 'a negation that does not hold', selectors: path('!**/*.ts'), expected: false },
  {
    says: 'a negation of one spelling of several',
    selectors: path('!**/my file.ts'),
    uri: 'file:///w/my%20file.ts',
    expected: false,
  },
  { says: 'query and fragment are ignored', selectors: path('**/*.ts'), uri: `${ts}?a=b.css#c`, expected: true },
  { says: 'an untitled document by name', selectors: path('Untitled-1'), uri: 'untitled:Untitled-1', expected: true },
  {
    says: 'a remote document',
    selectors: path('**/*.ts'),
    uri: 'vscode-remote://ssh-remote+host/home/a.ts',
    expected: true,
  },
  {
    says: 'a cell of a notebook, by the name of the notebook',
    selectors: path('**/*.ipynb'),
    uri: 'vscode-notebook-cell:/w/my%20notes.ipynb#W0sZmlsZQ%3D%3D',
    expected: true,
  },
  { says: 'no URI at all', selectors: path('**'), uri: 'not a uri', expected: false },
  { says: 'text in another case', selectors: [{ contentContains: 'A' }], text: 'a', expected: false },
  { says: 'empty text', selectors: [{ contentContains: '' }], text: 'a', expected: true },
  { says: 'LF in a file with CRLF', selectors: [{ contentContains: 'a\nb' }], text: 'a\r\nb', expected: true },
  { says: 'CRLF in a file with LF', selectors: [{ contentContains: 'a\r\nb' }], text: 'a\nb', expected: true },
  { says: 'text is no pattern', selectors: [{ contentContains: 'a.c' }], text: 'abc', expected: false },
];

const compile = (
  selectors: readonly DocumentSelector[] | undefined,
  match: SelectorCombination = 'any',
  runWithTimeLimit = withoutTimeLimit,
): SelectorList => SelectorList.compile(selectors, match, runWithTimeLimit);

describe('selectors', () => {
  for (const { says, selectors, uri = ts, text = '', match = 'any', expected } of rows) {
    it(`${expected ? 'match' : 'do not match'}: ${says}`, () => {
      const target = new SelectableDocument(uri, () => text);
      assert.equal(compile(selectors, match).matches(target), expected);
    });
  }

  it('report an unusable glob, and match the others', () => {
    const list = compile(path('', 'a'.repeat(70_000), '!(a)'.repeat(300), '**/*.ts'));
    assert.equal(list.problems.length, 3);
    assert.match(list.problems[0] ?? '', /glob ""/);
    assert.equal(list.matches(new SelectableDocument(ts, () => '')), true);
  });

  it('do not read the text unless one asks for it', () => {
    const target = new SelectableDocument(ts, () => assert.fail('the text was read'));
    assert.equal(compile(path('**/*.ts')).matches(target), true);
    assert.equal(compile([{ path: '**/*.css', contentContains: 'a' }]).matches(target), false);
  });
});

describe('a glob that takes too long', () => {
  /** A second or so, so that a test without a limit fails and does not hang. */
  const evil = [
    '([a-z/.]+)+Z',
    '+([a-z]|[a-y])Z',
    '{[a-z],[a-y]}'.repeat(24) + 'Z',
    '!(/x)'.repeat(8) + 'Z',
    '!**/+([a-z]|[a-y])Z',
  ];
  const letters = new SelectableDocument('file:///abcdefghijklmnopqrstuvwxyz', () => '');
  const limit = createTimeLimitedRunner(20);

  for (const glob of evil) {
    it(`is stopped, said and matches nothing: ${glob.slice(0, 20)}`, () => {
      const list = compile(path(glob), 'any', limit);
      assert.deepEqual([list.matches(letters), list.problems.length], [false, 1]);
      assert.match(list.problems[0] ?? '', /selector’s glob "[^"]+" cannot be used: it takes too long/);
    });
  }

  it('is not run again, and takes no other down', () => {
    let runs = 0;
    const counting = <T>(work: () => T): T | undefined => {
      runs++;
      return limit(work);
    };
    const list = compile(path('([a-z/.]+)+Z', '**/*.(js|ts)', '**/z'), 'any', counting);
    assert.equal(list.matches(letters), false);
    const before = runs;
    assert.equal(list.matches(letters), false);
    assert.equal(runs, before);
    assert.equal(list.matches(new SelectableDocument(ts, () => '')), true);
    assert.equal(list.matches(new SelectableDocument('file:///z', () => '')), true);
  });

  it('is one of three at most: what might be another is not run', () => {
    let slow = 0;
    const none = <T>(work: () => T): T | undefined => (slow++, void work());
    const list = compile(path('(a)', '(b)', '(c)', '(d)', '**/*.ts'), 'any', none);
    assert.equal(list.matches(letters), false);
    assert.deepEqual([slow, list.problems.length], [3, 4]);
    assert.match(list.problems[3] ?? '', /other complex globs/i);
    assert.equal(list.matches(new SelectableDocument(ts, () => '')), true);
  });

  it('is looked for only where there can be one', () => {
    const plain = path('**/*.{js,ts}', '**/src/**', 'Untitled-?', '/home/**', '!**/*.css', '**/[a-z]*.ts');
    const list = compile(plain, 'any', () => assert.fail('it was timed'));
    list.matches(letters);
  });
});
