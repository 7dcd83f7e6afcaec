import assert from 'node:assert/strict';
import { findAnswers } from '../../../../src/comments/common/findAnswers';
import { inertMarkdown } from '../../../../src/comments/common/inertMarkdown';

const answersIn = (text: string, ...numbers: readonly number[]) =>
  Object.fromEntries(findAnswers(text, new Set(numbers)).map(({ number, text: found }) => [number, found]));

describe('the answers to comments', () => {
  it('are paragraphs that begin with a number', () => {
    const text =
      'I changed three files.\n\nC1: Renamed it.\nAlso in the test.\n\nC2: Left as it is.\n\nAll tests pass.';
    assert.deepEqual(answersIn(text, 1, 2), { 1: 'Renamed it.\nAlso in the test.', 2: 'Left as it is.' });
  });

  it('are bold, in lists and in sections', () => {
    assert.deepEqual(answersIn('**C1**: one\n\n**C2:** two\n\n__C3__ three', 1, 2, 3), {
      1: 'one',
      2: 'two',
      3: 'three',
    });
    assert.deepEqual(answersIn('- C1 one\n  more\n- C2: two\n- another\n\nThe end.', 1, 2), {
      1: 'one\n  more',
      2: 'two',
    });
    assert.deepEqual(answersIn('### C1\n\nFirst.\n\nSecond.\n\n### C2 – done\n\n## Summary\n\nAll done.', 1, 2), {
      1: 'First.\n\nSecond.',
      2: 'done',
    });
  });

  it('have their code', () => {
    assert.deepEqual(answersIn('C1: As here:\n\n```ts\nC2: no\n\nmore\n```\n\nThe end.', 1, 2), {
      1: 'As here:\n\n```ts\nC2: no\n\nmore\n```',
    });
  });

  it('are read of an answer that repeats a number without an end', () => {
    const lines = Array.from({ length: 100_000 }, () => 'C1 a').join('\n');
    assert.equal(answersIn(lines, 1)[1]?.length, 10_001);
    assert.deepEqual(answersIn(`C1${',C1'.repeat(50_000)}: once`, 1), { 1: 'once' });
  });

  it('can be shared by several comments', () => {
    assert.deepEqual(answersIn('C1, C3 and C4: done', 1, 3, 4), { 1: 'done', 3: 'done', 4: 'done' });
  });

  it('are never guessed', () => {
    assert.deepEqual(answersIn('I did everything.', 1), {});
    assert.deepEqual(answersIn('C2: this number was not given', 1), {});
    assert.deepEqual(answersIn('As C1 says, it is done. C1: no', 1), {});
    assert.deepEqual(answersIn('C10: ten\n\nC1x: no', 1), {});
    assert.deepEqual(answersIn('```\nC1: in code\n```', 1), {});
  });

  it('are cut when they are long', () => {
    assert.equal(answersIn(`C1: ${'x'.repeat(20_000)}`, 1)[1]?.length, 10_001);
  });

  it('have no links, pictures or HTML', () => {
    const text =
      '[a](command:x) ![b](https://x/y.png) [c][d] <img src=x> <file:///etc> a < b\n\n[d]: file:///etc/passwd';
    const inert = inertMarkdown(text);
    assert.equal(inert.replaceAll('\u2060', ''), text);
    assert.doesNotMatch(inert, /\]\(|\]\[|\]:|<[a-z/]/i);
  });
});
