import assert from 'node:assert/strict';
import { mergeGlobLevels, parsePortRange } from '../../../../src/platform/common/settings';

describe('parsePortRange', () => {
  const good: readonly [unknown, number, number][] = [
    ['8000-8100', 8000, 8100],
    [' 9000 - 9000 ', 9000, 9000],
    [[8000, 8001], 8000, 8001],
  ];
  for (const [value, first, last] of good) {
    it(`takes ${JSON.stringify(value)}`, () => assert.deepEqual(parsePortRange(value), { first, last }));
  }
  for (const value of ['', '8000', '8100-8000', '0-10', '1-70000', [8000], [1.5, 3], [8, 9, 10], {}, null, 8000]) {
    it(`refuses ${JSON.stringify(value)}`, () => assert.equal(parsePortRange(value), undefined));
  }
});

describe('mergeGlobLevels', () => {
  const defaults = { '.env*': true, '*.key': true };

  function parse(user?: unknown, workspace?: unknown): readonly string[] {
    return mergeGlobLevels({ defaults, user, workspace }).globs;
  }

  it('adds globs to the defaults and removes those that the user turns off', () => {
    assert.deepEqual(parse({ '*.key': false, '*.sql': true }), ['.env*', '*.sql']);
    assert.deepEqual(parse(['*.sql', '!*.key']), ['.env*', '*.sql']);
    assert.deepEqual(parse({ '!*.key': true, '!*.sql': false }), ['.env*', '*.sql']);
  });

  it('makes an exception of a glob that the user turns off and that was not on', () => {
    assert.deepEqual(parse({ '**/.env.example': false }), ['.env*', '*.key', '!**/.env.example']);
    assert.deepEqual(parse(['!**/.env.example', '.env*']), ['.env*', '*.key', '!**/.env.example']);
  });

  it('lets a workspace add globs', () => {
    assert.deepEqual(parse({ '*.key': false }, { '*.key': true, '*.sql': true }), ['.env*', '*.key', '*.sql']);
    assert.deepEqual(parse({ 'a.env': false }, ['a.env', '!(*.ts)']), ['.env*', '*.key', 'a.env', '!(*.ts)']);
  });

  for (const value of [
    { '.env*': false },
    { '**/.env': false },
    { '!.env*': true },
    { '!!.env*': false },
    ['!.env*'],
    ['!**/*'],
  ]) {
    it(`lets no workspace open a file by ${JSON.stringify(value)}, and says so`, () => {
      const { globs, problems } = mergeGlobLevels({ defaults, user: undefined, workspace: value });
      assert.deepEqual(globs, ['.env*', '*.key']);
      assert.equal(problems.length, 1);
    });
  }

  it('reads every entry by itself: a bad value counts as on', () => {
    const user = { '*.sql': 'no', '*.log': null, '*.key': false, '*.db': true };
    const { globs, problems } = mergeGlobLevels({ defaults, user, workspace: [7, '*.bak'] });
    assert.deepEqual(globs, ['.env*', '*.sql', '*.log', '*.db', '*.bak']);
    assert.equal(problems.length, 3);
  });

  for (const value of ['*.sql', 7, null, true]) {
    it(`adds nothing for ${JSON.stringify(value)}, and says so`, () => {
      const { globs, problems } = mergeGlobLevels({ defaults, user: value, workspace: { '*.sql': true } });
      assert.deepEqual(globs, ['.env*', '*.key', '*.sql']);
      assert.equal(problems.length, 1);
    });
  }
});
