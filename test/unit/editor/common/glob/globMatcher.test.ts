import assert from 'node:assert/strict';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { messageOf } from '../../../../../src/base/common/errors';
import { foldCase, GlobMatcher } from '../../../../../src/editor/common/glob/globMatcher';

const names = fc
  .array(fc.constantFrom('a', 'b', 'c', 'ab', '.', '-', 'a.b'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(''))
  .filter((name) => !/^\.\.?$/.test(name));
const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

const plainPieces = ['a', 'b', 'ab', '.', '-', '*', '?', 'a*', '*b', '[ab]', '[^a]', '[a-b]', '\\a'];
const groups = ['{a,b}', '{a,ab}', '{a,{b,c}}', '{,a}b', '@(a|b)', '+(a|b)', '*(ab)a', '?(a)b', '(a|b)', '{*.b,a}'];
const segments = fc.oneof(
  { weight: 3, arbitrary: fc.constant('**') },
  {
    weight: 7,
    arbitrary: fc
      .array(fc.constantFrom(...plainPieces, ...groups), { minLength: 1, maxLength: 3 })
      .map((pieces) => pieces.join('')),
  },
);

/** Without what picomatch reads in another way, as tested below, or as a part of a regular expression. */
const isCommon = (glob: string): boolean =>
  !glob.replace(/(^|\/)\*\*(?=\/|$)/g, '').includes('**') && !/(^|\/)(\.|\?)/.test(glob) && !/\)[?*]/.test(glob);

const globs = fc
  .array(segments, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'))
  .filter(isCommon);

describe('a glob', () => {
  it('means what it means in picomatch', () => {
    let matched = 0;
    fc.assert(
      fc.property(globs, paths, (glob, path) => {
        const expected = picomatch(glob, { dot: true, nonegate: true })(path);
        if (expected) matched++;
        assert.equal(new GlobMatcher(glob).isMatch(path), expected, `${glob} ${path}`);
      }),
      { numRuns: 3_000 },
    );
    assert.ok(matched > 300, String(matched));
  });

  /** What is meant on purpose in another way than in picomatch. */
  const differences: readonly (readonly [glob: string, path: string, expected: boolean, why: string])[] = [
    ['[!a]', 'b', true, '`!` negates, as in VS Code'],
    ['[!a]', 'a', false, '`!` negates, as in VS Code'],
    ['!(a)b', 'acb', true, 'the exception is about the whole text before the b'],
    ['!(a)/b', 'ac/b', true, 'the exception is about the whole name'],
    ['[.-0]', '/', false, 'only a slash and two stars match a slash'],
    ['[ab]+', 'ab', false, 'a plus is an ordinary character'],
    ['"a"', 'a', false, 'quotes are ordinary characters'],
    ['?', '.', false, 'no path has such a name'],
  ];
  for (const [glob, path, expected, why] of differences)
    it(`${expected ? 'matches' : 'does not match'} ${path} if it is ${glob}: ${why}`, () => {
      assert.equal(new GlobMatcher(glob).isMatch(path), expected);
      assert.notEqual(picomatch(glob, { dot: true, nonegate: true })(path), expected);
    });

  it('of a folder and its contents includes the folder, but not with a star before them', () => {
    const matching = (glob: string): string[] =>
      ['a', 'a/b', 'a/b/c', 'ab'].filter((path) => new GlobMatcher(glob).isMatch(path));
    assert.deepEqual(matching('a/**'), ['a', 'a/b', 'a/b/c']);
    assert.deepEqual(matching('a/**/**'), ['a', 'a/b', 'a/b/c']);
    assert.deepEqual(matching('*/**'), ['a/b', 'a/b/c']);
    assert.deepEqual(matching('**/b'), ['a/b']);
    assert.deepEqual(matching('a**'), ['a', 'ab']);
    assert.deepEqual(matching('a/***'), ['a/b']);
  });

  it('has alternatives, ranges, classes and escapes', () => {
    const isMatch = (glob: string, path: string): boolean => new GlobMatcher(glob).isMatch(path);
    for (const path of ['app/[id]/a', 'app/i/a']) assert.equal(isMatch('app/[id]/*', path), true, path);
    assert.equal(isMatch('app/[a-z]/*', 'app/[a-z]/a'), false);
    assert.deepEqual(
      ['a', 'b', 'c'].map((path) => isMatch('a|b', path)),
      [true, true, false],
    );
    assert.deepEqual(
      ['{a}', 'a'].map((path) => isMatch('{a}', path)),
      [true, false],
    );
    assert.deepEqual(
      ['a,b', 'a'].map((path) => isMatch('{a\\,b,c}', path)),
      [true, false],
    );
    assert.deepEqual(
      [']', '\\', 'd'].map((path) => isMatch('[]\\\\d]', path)),
      [true, true, true],
    );
    assert.equal(isMatch('[\\d]', '1'), false);
    assert.equal(isMatch('a\\', 'a\\'), true);
    assert.deepEqual(
      ['[a', 'a)', 'a}'].map((text) => isMatch(`\\${text}`, text)),
      [true, true, true],
    );
    assert.deepEqual(
      ['a/x', 'b'].map((path) => isMatch('!(b/*)', path)),
      [true, true],
    );
    assert.equal(isMatch('!(a/b)', 'a/b'), false);
    assert.deepEqual([isMatch('!(a)', 'b/c'), isMatch('!(a/b)', 'b/c')], [false, true]);
    assert.deepEqual(
      [isMatch('+(a)*(b)', 'aabb'), isMatch('+(a)*(b)', 'aba'), isMatch('*(a)+(b)', 'aab')],
      [true, false, true],
    );
    assert.deepEqual([isMatch('[!]', '!'), isMatch('a+', 'a+'), isMatch('\\{1..30}', '{1..30}')], [true, true, true]);
    assert.deepEqual([isMatch('!(a)b', 'ab'), isMatch('!(a)/b', 'a/b')], [false, false]);
    assert.deepEqual([isMatch('!(!(a))', 'a'), isMatch('!(!(a))', 'b')], [true, false]);
    assert.equal(isMatch('*', ''), false);
    assert.equal(isMatch('/*', '/'), false);
    for (const path of ['/ws/../x', './x', '..']) assert.equal(isMatch('**', path), false, path);
  });

  it('that can be negated accepts what the rest does not', () => {
    const isMatch = (glob: string, path: string): boolean => new GlobMatcher(glob, { canNegate: true }).isMatch(path);
    assert.deepEqual([isMatch('!a', 'a'), isMatch('!a', 'b'), isMatch('!a', '')], [false, true, false]);
    assert.deepEqual([isMatch('!!a', 'a'), isMatch('!(a)', 'a')], [true, false]);
    assert.equal(new GlobMatcher('!a').isMatch('!a'), true);
  });

  it('can ignore case, also of letters with several forms and in classes', () => {
    const isMatch = (glob: string, path: string): boolean =>
      new GlobMatcher(glob, { ignoresCase: true }).isMatch(foldCase(path));
    const pairs = [
      ['a.ENV', 'A.env'],
      ['ÄΣ*', 'äς'],
      ['*Σ', 'ΟΔΟΣ'],
      ['[A-C]x', 'bX'],
      ['[ID]', '[id]'],
      ['İ', 'İ'],
    ] as const;
    for (const [glob, path] of pairs) assert.equal(isMatch(glob, path), true, `${glob} ${path}`);
    assert.equal(isMatch('[^A]', 'a'), false);
    assert.equal(foldCase('İx').length, 2);
  });

  const unclosed = [
    ['a[', 'a[', 'a'],
    ['*[', 'a[', 'a'],
    ['x[a/*', 'x[a/b', 'xa/b'],
    ['*[]', 'a[]', 'a'],
    ['*(', 'a(', 'a'],
    ['*{b,c', 'a{b,c', 'ab'],
    ['*{b', 'a{b', 'ab'],
    ['(*}', '(a}', 'a'],
    ['{(a*}', '{(ab}', 'ab'],
    ['!(a*', '!(ab', 'b'],
    ['?(a*', 'x(ab', 'ab'],
    ['(({a,b}*', '((bc', 'bc'],
    ['(a{b)*', 'a{bc', '(a{b)c'],
  ] as const;
  for (const [glob, path, other] of unclosed)
    it(`has brackets without a counterpart as ordinary characters: ${glob}`, () => {
      for (const options of [{}, { canNegate: true }]) {
        const matcher = new GlobMatcher(glob, options);
        assert.deepEqual([matcher.isMatch(path), matcher.isMatch(other)], [true, false]);
      }
    });

  it('is refused if it is too long, nested too deeply, or has a range or a wrong bracket', () => {
    const refusal = (glob: string): string | undefined => {
      try {
        new GlobMatcher(glob);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    };
    assert.match(refusal('a'.repeat(1_001)) ?? '', /characters/);
    assert.equal(refusal('a'.repeat(1_000)), undefined);
    assert.match(refusal('[a]'.repeat(333)) ?? '', /too many groups/);
    assert.match(refusal('!()'.repeat(31)) ?? '', /groups with "!"/);
    assert.match(refusal(`${'('.repeat(51)}${')'.repeat(51)}`) ?? '', /deeply/);
    for (const glob of ['{1..3}', 'a{a..z}b', '{01..10..2}', '{a,{1..3}}'])
      assert.match(refusal(glob) ?? '', /range/, glob);
    assert.match(refusal('[b-a]') ?? '', /order/);
    assert.match(refusal('[[:alpha:]]') ?? '', /classes/);
    for (const glob of ['a}', 'a]', 'a)', '\\[', '[(]', '{a}', 'a,b', '{..}', '{a..b,c}', '[{]1..3}', '('.repeat(51)])
      assert.equal(refusal(glob), undefined, glob);
  });
});

describe('the work of matching a glob', () => {
  /** Backtracking takes seconds to centuries for each of these. */
  const evil = [
    `${'*a'.repeat(12)}*b`,
    `${'**/a*/'.repeat(12)}b`,
    '+(a|aa)+(a|aa)b',
    '+(+(+(+(a))))b',
    '*(*(*(a)b)c)d',
    '*(a|*(a|*(a|*(a)c)c)c)d',
    '*+([a-z]|[a-y])Z?',
    `${'{[a-z],[a-y]}'.repeat(24)}*b`,
    `${'{a,aa,}'.repeat(40)}*b`,
    `*a${'?'.repeat(30)}b`,
  ];
  const names = [`bZ${'a'.repeat(250)}`, `b${'a'.repeat(250)}Z`, `bcd${'ab'.repeat(120)}`];
  const path = [...names, ...names, ...names, ...names].join('/');

  for (const glob of evil)
    it(`is at most the length of the path times that of the glob: ${glob.slice(0, 30)}`, () => {
      for (const subject of [...names, path, 'a'.repeat(4_000)]) {
        const matcher = new GlobMatcher(`**/${glob}`);
        matcher.isMatch(subject);
        assert.ok(matcher.stepCount <= 4 * subject.length * glob.length, String(matcher.stepCount));
      }
    });

  for (const glob of ['!(a*)!(a*)!(a*)b', '!(*a*a*a)!(*a*a*b)?', '!(!(!(a*)b*)c*)?', `${'!(x)'.repeat(30)}Z`])
    it(`has the length of a name as another factor for each level of exceptions: ${glob.slice(0, 30)}`, () => {
      const levels = (glob.match(/\(/g) ?? []).length > 3 ? 1 : 3;
      for (const subject of [...names, path]) {
        const matcher = new GlobMatcher(`**/${glob}`);
        matcher.isMatch(subject);
        assert.ok(matcher.stepCount <= 4 * subject.length * glob.length * 255 * levels, String(matcher.stepCount));
      }
    });

  it('has a limit for the longest glob of optional groups, and so has what is kept', () => {
    const glob = '?(?)'.repeat(250);
    const matcher = new GlobMatcher(glob);
    let [length, mostKept] = [0, 0];
    for (const letter of ['a', 'b'])
      for (let count = 1; count <= 251; count += 50) {
        assert.equal(matcher.isMatch(letter.repeat(count)), count < 251);
        length += count;
        mostKept = Math.max(mostKept, matcher.keptCount);
      }
    assert.ok(matcher.stepCount <= 2 * length * glob.length, String(matcher.stepCount));
    assert.ok(mostKept > 5_000 && mostKept <= 12_000, String(mostKept));
  });

  it('is little for a path without a text of the glob, and once known', () => {
    const matcher = new GlobMatcher('**/*.pem');
    assert.equal(matcher.isMatch(path), false);
    assert.equal(matcher.stepCount, 0);
    assert.equal(matcher.isMatch('a/b.pem'), true);
    const first = matcher.stepCount;
    assert.equal(matcher.isMatch('a/b.pem'), true);
    assert.equal(matcher.stepCount - first, 'a/b.pem'.length);
  });

  it('stays right when steps are forgotten', () => {
    const matcher = new GlobMatcher('!(*x)/a?');
    for (let code = 0x4e00; code < 0x4e00 + 5_000; code++) {
      const letter = String.fromCharCode(code);
      assert.equal(matcher.isMatch(`${letter}/a${letter}`), true);
      assert.equal(matcher.isMatch(`${letter}x/a${letter}`), false);
    }
    const known = matcher.stepCount;
    assert.equal(matcher.isMatch('\u4e00/a\u4e00'), true);
    assert.ok(matcher.stepCount - known > 4, 'the first steps are not kept');
  });
});
