import assert from 'node:assert/strict';
import { globOfFolder, globProblem, RuleGlobs } from '../../../../../src/permissions/common/rules/ruleGlobs';

describe('the globs of rules', () => {
  const globs = new RuleGlobs();

  it('match absolute paths, and the one that they spell', () => {
    assert.ok(globs.isMatch('/ws/**', '/ws/.a/b.ts', 'allow'));
    assert.ok(globs.isMatch('/ws/**', '/ws', 'allow'));
    assert.ok(!globs.isMatch('/ws/*', '/ws/a/b.ts', 'allow'));
    assert.ok(!globs.isMatch('/ws/*/**', '/ws/a.ts', 'allow'));
    assert.ok(!globs.isMatch('/WS/**', '/ws/a', 'allow'), 'case counts');
    assert.ok(globs.isMatch('/ws/[id]/(a)+(b)', '/ws/[id]/(a)+(b)', 'allow'));
    assert.deepEqual(
      ['/ws/a', '/b'].map((path) => globs.isMatch('!/ws/**', path, 'deny')),
      [false, true],
    );
  });

  it('are explained where a user types them, if they are not valid', () => {
    assert.match(
      globProblem(`/ws/${'a'.repeat(70_000)}*`) ?? '',
      /^This is not a valid glob: it has more than 1000 characters\.$/,
    );
    assert.match(globProblem('/ws/{1..3}') ?? '', /^This is not a valid glob: it has the range/);
    assert.ok(globProblem('/ws/[b-a]'));
    assert.equal(globProblem(' '), 'Enter a path or a glob.');
    for (const glob of ['/ws/**', ' /ws/[id ', '!/ws/**', 'C:\\ws\\**', globOfFolder('/a (b) [c] {1..3}')])
      assert.equal(globProblem(glob), undefined, glob);
  });

  it('answer the same for however many globs there are', () => {
    for (let index = 0; index < 2_500; index++) assert.ok(globs.isMatch(`/ws/${index}/*`, `/ws/${index}/a`, 'deny'));
    assert.ok(!globs.isMatch('/ws/1/*', '/ws/2/a', 'deny'));
  });

  it('allow nothing and deny everything if they are not valid', () => {
    for (const glob of [`/ws/${'a'.repeat(70_000)}*`, '/ws/[b-a]', '/ws/{1..3}', `/ws/${'*'.repeat(1_000)}`]) {
      assert.equal(globs.isMatch(glob, '/ws/a', 'allow'), false);
      assert.equal(globs.isMatch(glob, '/ws/a', 'deny'), true);
    }
  });
});
