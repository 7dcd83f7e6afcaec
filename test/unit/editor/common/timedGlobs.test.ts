import assert from 'node:assert/strict';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { createLooseMatcher, TimedGlobs } from '../../../../src/editor/common/timedGlobs';

const options = { dot: true, nocase: true };

describe('a loose match', () => {
  it('matches whenever the glob matches', () => {
    const piece = fc.constantFrom(
      ...['a', 'B', 'ab', '.', '-', '/', '*', '**/', '?', '[ab]', '[^a]', '{a,b}', '{a,{b,c}}', '@(a|b)', '!(a)'],
      ...['+(a|b)', '*(ab)', '?(a)', '(a|b)', '|', '\\*', '\\(', '+', '!', 'é', '{1..3}', '[[:alpha:]]'],
    );
    const letter = fc.constantFrom('a', 'b', 'A', 'c', '.', '-', '/', '*', '(', '|', '+', '1', '!', 'é');
    const [globs, paths] = [fc.array(piece, { maxLength: 6 }), fc.array(letter, { maxLength: 8 })];
    fc.assert(
      fc.property(globs, paths, (pieces, letters) => {
        const [glob, path] = [pieces.join(''), letters.join('')];
        if (glob === '' || !picomatch(glob, { ...options, nonegate: true })(path)) return;
        assert.equal(createLooseMatcher(glob)(path), true, `${glob} ${path}`);
      }),
      { numRuns: 5_000 },
    );
  });

  it('keeps the names of the glob in their order', () => {
    const isMatch = createLooseMatcher('**/secret*/key-*.pem');
    assert.equal(isMatch('a/SECRETS/key-1.pem'), true);
    for (const path of ['key-1/secret.pem', 'secret/key', 'a']) assert.equal(isMatch(path), false, path);
  });
});

describe('globs with a limit', () => {
  it('are not measured if they cannot be slow', () => {
    const globs = new TimedGlobs(() => assert.fail('it was measured'), options);
    const isMatch = globs.compile(['**/*.ts', 'a/{b,c}/**'], () => assert.fail('it was slow'));
    assert.deepEqual(['x/y.ts', 'a/b/c', 'z'].map(isMatch), [true, true, false]);
  });

  it('are measured for paths that are very long', () => {
    let runs = 0;
    const globs = new TimedGlobs((work) => (runs++, work()), options);
    const isMatch = globs.compile(['*a*b'], () => undefined);
    assert.equal(isMatch(`${'a'.repeat(5_000)}b`), true);
    assert.ok(runs > 0);
  });
});
