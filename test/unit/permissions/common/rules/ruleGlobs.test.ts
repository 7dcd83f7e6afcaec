import assert from 'node:assert/strict';
import type { RunWithTimeLimit } from '../../../../../src/base/common/runWithTimeLimit';
import { RuleGlobs } from '../../../../../src/permissions/common/rules/ruleGlobs';

function globsOf(runWithTimeLimit: RunWithTimeLimit) {
  const slow: string[] = [];
  return { slow, globs: new RuleGlobs({ runWithTimeLimit, onSlow: (glob) => slow.push(glob) }) };
}

describe('the globs of rules', () => {
  it('match absolute paths, and the one that they spell', () => {
    const { globs } = globsOf((work) => work());
    assert.ok(globs.isMatch('/ws/**', '/ws/.a/b.ts', 'allow'));
    assert.ok(!globs.isMatch('/ws/*', '/ws/a/b.ts', 'allow'));
    assert.ok(globs.isMatch('/ws/[id]/(a)+(b)', '/ws/[id]/(a)+(b)', 'allow'));
  });

  it('are compiled once, however many paths there are', () => {
    let compiled = 0;
    const { globs } = globsOf((work) => {
      const result = work();
      if (typeof result === 'function') compiled++;
      return result;
    });
    for (let index = 0; index < 500; index++) globs.isMatch('/ws/+(a|b)/**', `/ws/a/${index}`, 'deny');
    assert.equal(compiled, 1);
  });

  it('that take too long allow nothing, and deny what has their names', () => {
    const { globs, slow } = globsOf((work) => {
      const result = work();
      return typeof result === 'function' ? result : undefined;
    });
    const glob = '/ws/+(a|b)/x.ts';
    assert.equal(globs.isMatch(glob, '/ws/c/x.ts', 'deny'), true);
    assert.equal(globs.isMatch(glob, '/ws/a/x.ts', 'allow'), false);
    assert.deepEqual(slow, [glob]);
    assert.equal(globs.isMatch(glob, '/elsewhere', 'deny'), false);
  });

  it('that are too long for a glob allow nothing', () => {
    const { globs } = globsOf((work) => work());
    assert.equal(globs.isMatch(`/ws/${'a'.repeat(70_000)}*`, '/ws/a', 'allow'), false);
  });
});
