import assert from 'node:assert/strict';
import { excerptOf } from '../../../src/startingPoints/common/excerpt';
import { problemPoint, type Problem } from '../../../src/startingPoints/common/problemPoint';

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n');
const problemAt = (line: number, message = 'wrong'): Problem => ({
  range: { start: { line, character: 2 }, end: { line, character: 4 } },
  severity: 'error',
  message,
  related: [],
});
const file = { shownPath: 'src/a.ts', path: '/work/src/a.ts', text: lines(100), isUnsaved: false };

describe('the text of problems for an agent', () => {
  it('has ten lines around each problem once, with numbers, and says where lines are left out', () => {
    const excerpt = excerptOf(
      lines(100),
      [
        { first: 60, last: 60 },
        { first: 20, last: 20 },
        { first: 25, last: 25 },
      ],
      10_000,
    );
    const numbers = excerpt.split('\n').map((line) => line.split(':')[0]);
    const shown = [...Array.from({ length: 26 }, (_, index) => `${index + 11}`), '…'];
    assert.deepEqual(numbers, ['…', ...shown, ...Array.from({ length: 21 }, (_, index) => `${index + 51}`)]);
    assert.equal(excerptOf('a\r\nb', [{ first: 5, last: 9 }], 100), '1: a\n2: b');
  });

  it('is limited in lines, length and problems, and does not split characters', () => {
    const long = excerptOf(`${'x'.repeat(399)}😀${'y'.repeat(50)}`, [{ first: 0, last: 0 }], 10_000);
    assert.equal(long, `1: ${'x'.repeat(399)}…`);
    assert.match(excerptOf(lines(100), [{ first: 0, last: 99 }], 50), /^1: line 1\n[^]*\n…$/);
    const problems = Array.from({ length: 120 }, (_, index) => problemAt(index));
    const [attached] = problemPoint('fixFile', { ...file, problems }).texts;
    assert.equal(attached?.title, '120 problems in src/a.ts');
    assert.match(attached.text, /a\.ts:100:3 error: wrong\n… and 20 more\n/);
  });

  it('names the problem on one line in the chip', () => {
    const { prompt, texts } = problemPoint('fix', {
      ...file,
      problems: [problemAt(4, `first\nsecond ${'z'.repeat(90)}`)],
    });
    assert.equal(prompt, 'Fix this problem in src/a.ts, line 5.');
    assert.match(texts[0]?.title ?? '', /^Problem: first second z+…$/);
    assert.throws(() => problemPoint('explain', { ...file, problems: [] }), /no problem at the cursor/);
  });
});
